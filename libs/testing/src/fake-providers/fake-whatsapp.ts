import type { FakeReply, FakeScript } from './fake-provider.js';

/** A message as the Cloud API reads it. */
export interface WhatsAppMessage {
  readonly messaging_product: string;
  readonly recipient_type: string;
  readonly to: string;
  readonly type: string;
  readonly text?: { readonly preview_url: boolean; readonly body: string };
  readonly template?: {
    readonly name: string;
    readonly language: { readonly code: string };
    readonly components?: readonly WhatsAppComponent[];
  };
  readonly biz_opaque_callback_data?: string;
}

interface WhatsAppComponent {
  readonly type: string;
  readonly sub_type?: string;
  readonly index?: string;
  readonly parameters: readonly { readonly type: string; readonly text: string }[];
}

export interface WhatsAppRefusal {
  readonly code: number;
  /** 400 unless the page says otherwise. */
  readonly status?: number;
}

/** A template of the account, as `GET /{account}/message_templates` returns it. */
export interface FakeTemplate {
  readonly id: string;
  readonly name: string;
  readonly language: string;
  readonly status: string;
  readonly category: string;
  readonly rejected_reason?: string;
  readonly parameter_format?: string;
}

export interface FakeWhatsAppOptions {
  readonly phoneNumberId: string;
  readonly accountId?: string;
  readonly accessToken: string;
  /** The templates of the account, two per page. */
  readonly templates?: readonly FakeTemplate[];
}

/** WhatsApp reads at most this many characters. */
const maxLengths = { text: 4_096, code: 15, callbackData: 512 };

/**
 * Answers as the pages below https://developers.facebook.com/documentation/business-messaging/whatsapp say: messages,
 * templates (authentication, list), support/error-codes.
 */
export const fakeWhatsApp = (options: FakeWhatsAppOptions): FakeScript<WhatsAppMessage, WhatsAppRefusal> => ({
  path: `/v26.0/${options.phoneNumberId}/messages`,
  read: ({ path = '', headers, body }) => {
    if (headers.authorization !== `Bearer ${options.accessToken}`)
      return errorReply({ code: 190, status: 401 });
    const [, version, id = '', edge] = /^\/v(\d+\.\d)\/(\d+)\/(\w+)/.exec(path) ?? [];
    if (version === undefined) return errorReply({ code: 100 });
    if (edge === 'message_templates' && id === options.accountId)
      return templatesReply(options.templates ?? [], new URL(path, 'http://fake').searchParams);
    if (edge !== 'messages' || id !== options.phoneNumberId) return errorReply({ code: 33 });
    return [JSON.parse(body) as WhatsAppMessage];
  },
  check: (message) => (isValid(message) ? undefined : { code: 131009 }),
  answer: ([result]) => {
    const { message, number = 0, refusal } = result ?? {};
    if (refusal) return errorReply(refusal);
    const digits = message?.to.replace('+', '') ?? '';
    return {
      status: 200,
      body: {
        messaging_product: 'whatsapp',
        contacts: [{ input: message?.to, wa_id: digits }],
        messages: [{ id: wamidOf(number, digits), message_status: 'accepted' }],
      },
    };
  },
});

/**
 * The id of the message that the server accepted as the n-th. Like the ids of WhatsApp, it contains the phone number of
 * the recipient in base64.
 */
export const wamidOf = (number: number, recipient: string): string =>
  `wamid.${Buffer.from(`\u001c\u0018${recipient.replace('+', '')}\u0015fake message ${number}`).toString('base64')}`;

/**
 * What a status says about the price of its message, as
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages/status says.
 * @param type `regular`, or why the message is free
 */
export const whatsAppPricing = (category: string, type = 'regular'): object => ({
  pricing: { billable: type === 'regular', pricing_model: 'PMP', type, category },
});

function isValid({
  messaging_product: product,
  to,
  type,
  text,
  template,
  ...others
}: WhatsAppMessage): boolean {
  const data = others.biz_opaque_callback_data ?? '';
  if (product !== 'whatsapp' || !/^\+?\d{7,15}$/.test(to) || data.length > maxLengths.callbackData)
    return false;
  if (type === 'text') return text !== undefined && text.body !== '' && text.body.length <= maxLengths.text;
  if (type !== 'template' || !template || template.name === '' || template.language.code === '') return false;
  return (template.components ?? []).every(
    ({ type: component, sub_type: subType, index, parameters }) =>
      parameters.length > 0 &&
      parameters.every((parameter) => parameter.type === 'text' && parameter.text !== '') &&
      (component === 'body' ||
        (component === 'button' &&
          subType === 'url' &&
          index === '0' &&
          (parameters[0]?.text.length ?? 0) <= maxLengths.code)),
  );
}

function templatesReply(templates: readonly FakeTemplate[], query: URLSearchParams): FakeReply {
  const from = Number(query.get('after') ?? 0);
  const next = from + 2;
  const cursors = { before: String(from), after: String(next) };
  return {
    status: 200,
    body: {
      data: templates.slice(from, next),
      paging: { cursors, ...(next < templates.length && { next: 'https://graph.facebook.com/next' }) },
    },
  };
}

const errorReply = ({ code, status = 400 }: WhatsAppRefusal): FakeReply => ({
  status,
  body: {
    error: {
      message: `(#${code}) An error`,
      type: 'OAuthException',
      code,
      error_data: { messaging_product: 'whatsapp', details: `Details of error ${code}` },
      fbtrace_id: 'AbCdEfGh',
    },
  },
});
