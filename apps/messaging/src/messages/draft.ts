import type { Channel, SendSmsRequest } from '@gangan/contracts';
import type { FieldError } from '@gangan/protocol';
import { noSuchTemplate, otherChannel, unregisteredSender } from './messages.errors.js';
import type { MessageBody, Personalisation, Recipient } from '../text/message-text.js';
import type { TemplateFields } from '../templates/templates.repository.js';
import { placeholdersOf, valueOf } from '../text/rendering.js';
import { type Filling, fillingOf, readPersonalisation, unfilled, withoutNulls } from './personalisation.js';
import { readRecipients, type Recipients } from './recipients.js';
import { maySendAs, type SendingRules } from './sending-rules.js';

/** A message that is wanted, and everything that is wrong with it. */
export interface Draft {
  readonly channel: Channel;
  readonly sender: string;
  readonly body: MessageBody;
  /** Where the text comes from, for whoever finds fault with it. */
  readonly source: 'content' | 'template_id';
  readonly recipients: readonly { readonly to: Recipient; readonly filling: Filling }[];
  readonly faults: readonly FieldError[];
}

/** Nothing can be told about the text of a template that is not there. */
const unknownText: MessageBody = {
  content: '',
  personalisation: null,
  templateProviderName: null,
  templateLanguage: null,
  templateVariables: [],
};

/** Whoever is on a smartlist is found out later. */
const nobody: Recipients = { all: [], faults: [] };

export async function draftOf(
  request: SendSmsRequest,
  rules: SendingRules,
  template: TemplateFields | undefined,
): Promise<Draft> {
  const { channel = 'sms', sender_id: sender = rules.defaultSender } = request;
  const personalisation = withoutNulls(request.personalisation ?? []);
  const body = bodyOf(request, personalisation, rules, template);
  const recipients =
    request.smartlist_id === undefined ? await readRecipients(request.recipients ?? '') : nobody;
  const fillings = await readPersonalisation(personalisation, recipients);
  return {
    channel,
    sender,
    body: body ?? unknownText,
    source: request.template_id === undefined ? 'content' : 'template_id',
    recipients: recipients.all.map((to) => ({ to, filling: fillingOf(fillings, to) })),
    faults: [
      ...recipients.faults,
      ...(maySendAs(rules, sender) ? [] : [unregisteredSender()]),
      ...(body ? [] : [noSuchTemplate()]),
      ...(template && template.channel !== channel ? [otherChannel(template.channel)] : []),
      ...fillings.faults,
      ...(body && request.template_id !== undefined ? unfilled(body.content, recipients.all, fillings) : []),
    ],
  };
}

/** What a template has no place for is not kept. One that nobody made has none, and gives back what it was given. */
function namedIn(
  template: TemplateFields | undefined,
  items: readonly Personalisation[],
): readonly Personalisation[] {
  if (!template) return items;
  const names = placeholdersOf(template.body);
  return items.map(({ to, substitutions }) => ({
    to,
    substitutions: Object.fromEntries(
      names.flatMap((name) => {
        const value = valueOf(substitutions, name);
        return value === undefined ? [] : [[name, value]];
      }),
    ),
  }));
}

/** In test mode a template that nobody made is its own text. */
function bodyOf(
  { content, template_id: id }: SendSmsRequest,
  personalisation: readonly Personalisation[],
  { mode }: SendingRules,
  template: TemplateFields | undefined,
): MessageBody | undefined {
  if (id === undefined) return { ...unknownText, content: content ?? '' };
  if (!template && mode === 'live') return undefined;
  return {
    content: template?.body ?? id,
    personalisation: personalisation.length > 0 ? namedIn(template, personalisation) : null,
    templateProviderName: template?.providerName ?? null,
    templateLanguage: template?.language ?? null,
    templateVariables: template?.variables ?? [],
  };
}
