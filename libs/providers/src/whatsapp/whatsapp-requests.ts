import type { DeliveryText } from '@gangan/contracts';
import type { MessageRequest, OutgoingMessage } from '../http/http-caller.js';
import type { HttpSettings } from '../http/http-settings.js';
import type { RequestSettings } from '../http/request/request-settings.js';
import { errorRules, failureRules } from './error-codes.js';
import type { WhatsAppSettings } from './whatsapp-settings.js';

type Template = NonNullable<DeliveryText['template']>;

const defaultUrl = 'https://graph.facebook.com';
const defaultVersion = 'v26.0';

/** A request of the Graph API, with the access token. */
export const graphRequest = (
  { url = defaultUrl, apiVersion = defaultVersion }: WhatsAppSettings,
  path: string,
): RequestSettings => ({
  url: `${url.replace(/\/$/, '')}/${apiVersion}/${path}`,
  bearer: '{secret.access_token}',
});

/** What every message has. Statuses repeat `biz_opaque_callback_data`; it does not prevent duplicates. */
const envelope = {
  messaging_product: 'whatsapp',
  recipient_type: 'individual',
  to: '{recipient}',
  biz_opaque_callback_data: '{reference}',
};

/** The kind `whatsapp` in terms of the kind `http`: free text, answers, statuses and their meaning. */
export const whatsAppHttp = (settings: WhatsAppSettings): HttpSettings => {
  const { phoneNumberId, previewUrl = false, errors = [], cost, timeoutMs, allowPrivate } = settings;
  const { firstOutcomes } = settings;
  return {
    request: {
      ...graphRequest(settings, `${phoneNumberId}/messages`),
      json: { ...envelope, type: 'text', text: { preview_url: previewUrl, body: '{text}' } },
    },
    answer: { reference: '/messages/0/id', code: '/error/code', message: '/error/error_data/details' },
    ...(firstOutcomes && { firstOutcomes }),
    outcomes: [...errors, ...errorRules],
    reports: {
      list: '/entry/*/changes/*/value/statuses',
      reference: '/id',
      ownReference: '/biz_opaque_callback_data',
      status: '/status',
      code: '/errors/0/code',
      states: [
        { status: ['delivered'], state: 'delivered' },
        // `played`: a voice message was heard.
        { status: ['read', 'played'], state: 'read' },
        { status: ['sent', 'accepted', 'deleted', 'warning'], state: 'sent' },
        ...failureRules([...errors, ...errorRules]),
        { status: ['failed'], state: 'undelivered' },
      ],
    },
    inbound: {
      hmac: {
        header: 'X-Hub-Signature-256',
        algorithm: 'sha256',
        prefix: 'sha256=',
        secret: '{secret.app_secret}',
      },
      handshake: { secret: '{secret.verify_token}' },
      maxBytes: 3 * 1_024 * 1_024,
    },
    ...(cost && { cost: { ...cost, onlyDelivered: true as const } }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(allowPrivate !== undefined && { allowPrivate }),
  };
};

/** The request of a message with a template. Values are placeholders, so that nothing in them is expanded. */
export function templateRequest(
  settings: WhatsAppSettings,
): (message: OutgoingMessage) => MessageRequest | undefined {
  const request = graphRequest(settings, `${settings.phoneNumberId}/messages`);
  return ({ template }) =>
    template && {
      request: { ...request, json: { ...envelope, type: 'template', template: templateJson(template) } },
      others: {
        template_name: template.name,
        template_language: template.language,
        ...Object.fromEntries(template.values.map((value, index) => [`value_${index}`, value])),
        ...(template.code !== undefined && { template_code: template.code }),
      },
    };
}

function templateJson({ values, code }: Template): object {
  const body = {
    type: 'body',
    parameters: values.map((_, index) => ({ type: 'text', text: `{value_${index}}` })),
  };
  const components = [...(values.length > 0 ? [body] : []), ...(code === undefined ? [] : [copyCodeButton])];
  return {
    name: '{template_name}',
    language: { policy: 'deterministic', code: '{template_language}' },
    ...(components.length > 0 && { components }),
  };
}

/** The button of an authentication template. WhatsApp stores it as one with a URL. */
const copyCodeButton = {
  type: 'button',
  sub_type: 'url',
  index: '0',
  parameters: [{ type: 'text', text: '{template_code}' }],
};
