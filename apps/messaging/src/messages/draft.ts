import type { Channel, SendSmsRequest } from '@gangan/contracts';
import type { FieldError } from '@gangan/protocol';
import type { TemplateFields } from '../templates/templates.repository.js';
import type { MessageContent, Personalisation } from '../text/message-text.js';
import { placeholdersOf } from '../text/rendering.js';
import { templateOfOtherChannel, unknownTemplate, unregisteredSender } from './messages.errors.js';
import {
  findUnfilled,
  type IndexedRecipient,
  noValues,
  readPersonalisation,
  readRecipients,
  type Recipients,
  type RecipientValues,
  withoutNulls,
} from './recipients.js';
import { maySendAs, type SendingRules } from '../sending-rules.js';

/** A request as it was understood, and its errors. */
export interface Draft {
  readonly channel: Channel;
  readonly sender: string;
  readonly body: MessageContent;
  /** The field that the text comes from, for error messages. */
  readonly source: 'content' | 'template_id';
  readonly recipients: readonly { readonly to: IndexedRecipient; readonly values: RecipientValues }[];
  readonly faults: readonly FieldError[];
}

export const emptyContent: MessageContent = {
  content: '',
  personalisation: null,
  templateProviderName: null,
  templateLanguage: null,
  templateVariables: [],
};

/** The recipients of a smartlist are read later. */
const noRecipients: Recipients = { all: [], faults: [] };

export async function readDraft(
  request: SendSmsRequest,
  rules: SendingRules,
  template: TemplateFields | undefined,
  region: string,
  faults: readonly FieldError[] = [],
): Promise<Draft> {
  const { channel = 'sms', sender_id: sender = rules.defaultSender } = request;
  const recipients =
    request.smartlist_id === undefined
      ? await readRecipients(request.recipients ?? '', region)
      : noRecipients;
  const personalisation = withoutNulls(request.personalisation ?? []);
  const personalisations = await readPersonalisation(personalisation, recipients, region);
  const body = readContent(request, personalisations.items, rules, template);
  return {
    channel,
    sender,
    body: body ?? emptyContent,
    source: request.template_id === undefined ? 'content' : 'template_id',
    recipients: recipients.all.map((to) => ({
      to,
      values: personalisations.byRecipient.get(to.recipient) ?? noValues,
    })),
    faults: [
      ...faults,
      ...recipients.faults,
      ...(maySendAs(rules, sender) ? [] : [unregisteredSender()]),
      ...(body ? [] : [unknownTemplate()]),
      ...(template && template.channel !== channel ? [templateOfOtherChannel(template.channel)] : []),
      ...personalisations.faults,
      ...(body && request.template_id !== undefined
        ? findUnfilled(body.content, recipients.all, personalisations)
        : []),
    ],
  };
}

/** In test mode, a template_id without a template is used as the text. */
function readContent(
  { content, template_id: id }: SendSmsRequest,
  personalisation: readonly Personalisation[],
  { mode }: SendingRules,
  template: TemplateFields | undefined,
): MessageContent | undefined {
  if (id === undefined) return { ...emptyContent, content: content ?? '' };
  if (!template && mode === 'live') return undefined;
  return {
    content: template?.body ?? id,
    personalisation: personalisation.length > 0 ? onlyPlaceholders(template, personalisation) : null,
    templateProviderName: template?.providerName ?? null,
    templateLanguage: template?.language ?? null,
    templateVariables: template?.variables ?? [],
  };
}

/** Values without a placeholder in the template are not stored. */
function onlyPlaceholders(
  template: TemplateFields | undefined,
  items: readonly Personalisation[],
): readonly Personalisation[] {
  if (!template) return items;
  const names = placeholdersOf(template.body);
  return items.map(({ substitutions, ...item }) => ({
    ...item,
    substitutions: Object.fromEntries(Object.entries(substitutions).filter(([name]) => names.includes(name))),
  }));
}
