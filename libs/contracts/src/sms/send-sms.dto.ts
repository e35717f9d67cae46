import { ArrayMaxSize, IsIn, IsOptional, Matches, MinLength, ValidateIf } from 'class-validator';
import { type Channel, channels, messageCategories, type MessageCategory } from '../delivery/delivery.dto.js';
import { ApiField, ApiSchema, exampleId } from '../schema/api-field.js';
import {
  ListField,
  OptionalBooleanField,
  OptionalTextField,
  RequiredTextField,
  TextField,
  TextMapField,
} from '../schema/fields.js';
import { isSender, senderPattern } from '../text/gsm-alphabet.js';
import { IsCallbackUrl } from '../validation/fields/callback-url.js';
import {
  IsInstant,
  IsName,
  MaxLength,
  NotBlank,
  Required,
  textOrEmpty,
} from '../validation/fields/decorators.js';
import { ItemErrors } from '../validation/fields/nested.js';
import { AlsoNamed } from '../validation/fields/other-names.js';
import { absent } from '../validation/json-schema.js';
import {
  ExcludesRecipients,
  ExcludesSmartlist,
  HasNoPlaceholder,
  IsContent,
  LooksLikePhone,
  maxRecipients,
  maxTextLength,
  NeedsSmartlist,
  NeedsTemplate,
  PhoneListField,
  substitutionErrors,
} from './send-sms.rules.js';

/** A `send_at` is at most this many days ahead, and this many minutes ago. */
export const maxScheduledDays = 90;
export const maxLateMinutes = 5;

const exampleTemplateId = '01900000-0000-7000-8000-000000000006';

const isAbsent = (value: unknown): boolean => value === undefined || value === '';

/** With a template, `content` is ignored and may be empty. */
const isContentChecked = ({ content, template_id }: SendSmsRequest): boolean =>
  isAbsent(template_id) || !isAbsent(content);

/** With a smartlist or a reply, `recipients` is not required. The rule of `smartlist_id` reports the conflict. */
const areRecipientsChecked = ({ recipients, smartlist_id, reply_to }: SendSmsRequest): boolean =>
  (isAbsent(smartlist_id) && isAbsent(reply_to)) || !isAbsent(recipients);

export class SmsPersonalisation {
  @RequiredTextField('One of the recipients', '07000000001')
  @LooksLikePhone()
  to: string;

  @Required()
  @TextMapField('Values for this recipient, by placeholder', { name: 'Ada' })
  @ItemErrors(substitutionErrors)
  substitutions: Record<string, string>;
}

@ApiSchema({
  rules: {
    oneOf: [
      { required: ['recipients'] },
      { required: ['smartlist_id'] },
      { required: ['reply_to'], properties: { recipients: absent } },
    ],
    anyOf: [{ required: ['content'] }, { required: ['template_id'] }],
    dependentRequired: {
      personalisation: ['template_id', 'recipients'],
      phone_column: ['smartlist_id'],
    },
  },
  // Together they contain every field except `callback`: whoever sends an example would send its reports there.
  examples: {
    text: {
      recipients: '07000000001, +2347000000011',
      sender_id: 'Gangan',
      channel: 'sms',
      category: 'transactional',
      content: 'Your order has left: https://example.com/orders/17',
      external_ref: 'order-17',
      is_trackable: true,
    },
    template: {
      recipients: '07000000001',
      template_id: exampleTemplateId,
      personalisation: [{ to: '07000000001', substitutions: { name: 'Ada' } }],
    },
    smartlist: {
      smartlist_id: exampleId,
      phone_column: 'Mobile',
      content: 'Dear {{Name}}, the shop is open on Sunday.',
    },
    reply: { reply_to: exampleId, content: 'Your order arrives today.' },
  },
})
export class SendSmsRequest {
  @ValidateIf(areRecipientsChecked)
  @PhoneListField(
    `Phone numbers separated by commas, at most ${maxRecipients}. Required unless there is a \`smartlist_id\` or \`reply_to\`. Duplicates in any notation are sent and charged once`,
  )
  @AlsoNamed('to')
  recipients?: string;

  @OptionalTextField(
    'Smartlist of your contacts instead of `recipients`. `{{Name}}` in the text is replaced by the cell of the column Name',
    exampleId,
  )
  @Required()
  @ExcludesRecipients()
  smartlist_id?: string;

  @OptionalTextField(
    'Name of the column with the phone numbers of the smartlist. Default: the first PHONE NUMBER column',
    'Mobile',
  )
  @Required()
  @MaxLength(255)
  @NeedsSmartlist()
  phone_column?: string;

  @OptionalTextField(
    'Id of a message that your organisation received (`GET /inbox`): the reply goes to its sender, on its channel. `recipients` may be absent, or be this number',
    exampleId,
  )
  @Required()
  @ExcludesSmartlist()
  reply_to?: string;

  @OptionalTextField(
    'Sender of the message. Default: the default sender of the organisation; of a reply the number that received the message, if the provider of the number sends the reply',
    'Gangan',
  )
  @AlsoNamed('from')
  @MinLength(1)
  @MaxLength(11)
  @Matches(senderPattern, {
    message: ({ value }) =>
      isSender(textOrEmpty(value).replace(/^ +/, ''))
        ? '$property must not begin with a space'
        : '$property must consist of printable characters of the GSM-7 alphabet, and not begin with a space',
  })
  sender_id?: string;

  @OptionalTextField('Channel of the message. Default: `sms`; of a reply that of the message', 'sms')
  @IsIn(channels)
  channel?: Channel;

  @OptionalTextField(
    'What the message is for: `transactional` or `promotional`. Promotional SMS are not sent to numbers on the DND list. Default: `promotional` with a `smartlist_id`, otherwise that of your organisation, which is `transactional` unless it was changed',
    'transactional',
  )
  @IsIn(messageCategories)
  category?: MessageCategory;

  @ValidateIf(isContentChecked)
  @IsContent()
  @TextField(
    'Text of the message. Required unless there is a `template_id`, which takes precedence',
    'Your order has left.',
  )
  @AlsoNamed('body')
  @HasNoPlaceholder()
  @MaxLength(maxTextLength)
  content?: string;

  @OptionalTextField('Template whose body is the text', exampleTemplateId)
  @NotBlank()
  @MaxLength(maxTextLength)
  template_id?: string;

  @IsOptional()
  @NeedsTemplate()
  @ArrayMaxSize(maxRecipients)
  @ListField(SmsPersonalisation, 'Values of the placeholders of the template, by recipient', [
    { to: '07000000001', substitutions: { name: 'Ada' } },
  ])
  personalisation?: SmsPersonalisation[];

  @IsOptional()
  @IsInstant()
  @ApiField(
    `When to send the message: a time with its offset from UTC, at most ${maxScheduledDays} days ahead. A time of the last ${maxLateMinutes} minutes means at once. The message is charged now; a smartlist is read then`,
    '2026-12-01T09:30:00+01:00',
  )
  send_at?: string;

  @OptionalTextField('Your own reference', 'order-17')
  @IsName(255)
  external_ref?: string;

  @OptionalBooleanField('Whether links are replaced by short links that report clicks', false)
  is_trackable?: boolean;

  @IsOptional()
  @IsCallbackUrl()
  @ApiField('URL that receives status reports of the message', 'https://app.example/callbacks')
  callback?: string;
}
