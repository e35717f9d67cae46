import {
  ArrayMaxSize,
  IsBoolean,
  IsIn,
  IsObject,
  IsOptional,
  IsString,
  Matches,
  MinLength,
  ValidateIf,
} from 'class-validator';
import { IsCallbackUrl } from '../callback/is-callback-url.js';
import { type Channel, channels } from '../channel.js';
import { ApiSchema } from '../schema/describe-whole.js';
import { ApiField } from '../schema/describe.js';
import { isSender, senderPattern } from '../text/gsm-alphabet.js';
import { givenText } from '../validation/given-text.js';
import { ItemErrors } from '../validation/item-faults.js';
import { MaxLength } from '../validation/max-length.js';
import { NestedList } from '../validation/nested.js';
import { NotBlank } from '../validation/not-blank.js';
import { OneLine } from '../validation/one-line.js';
import { Required } from '../validation/required.js';
import { maxRecipients, recipientErrors } from './recipients.js';
import { sendSmsExamples } from './send-sms.examples.js';
import {
  HasFewRecipients,
  HasTextValues,
  IsContent,
  LooksLikePhone,
  NeedsSmartlist,
  NeedsTemplate,
  StandsForRecipients,
  substitutionErrors,
} from './sms-rules.js';

export const maxTextLength = 1_600;

const isBlank = (value: unknown): boolean => value === undefined || value === '';

/** Content that stands beside a template is not read, and may as well be empty. */
const contentMatters = ({ content, template_id }: SendSmsRequest): boolean =>
  isBlank(template_id) || !isBlank(content);

/** Beside a smartlist they are not needed; that they are there all the same is told at the smartlist. */
const recipientsMatter = ({ recipients, smartlist_id }: SendSmsRequest): boolean =>
  isBlank(smartlist_id) || !isBlank(recipients);

export class SmsPersonalisation {
  @Required()
  @IsString()
  @LooksLikePhone()
  @ApiField('One of the recipients', '08031234567')
  to: string;

  @Required()
  @IsObject()
  @HasTextValues()
  @ItemErrors(substitutionErrors)
  @ApiField('What is filled in for this recipient: the name of each placeholder, and a text', { name: 'Ada' })
  substitutions: Record<string, string>;
}

@ApiSchema({
  rules: {
    oneOf: [{ required: ['recipients'] }, { required: ['smartlist_id'] }],
    anyOf: [{ required: ['content'] }, { required: ['template_id'] }],
    dependentRequired: {
      personalisation: ['template_id', 'recipients'],
      phone_column: ['smartlist_id'],
    },
  },
  examples: sendSmsExamples,
})
export class SendSmsRequest {
  @ValidateIf(recipientsMatter)
  @Required()
  @IsString()
  @HasFewRecipients()
  @ItemErrors(recipientErrors, { onlyBesideOthers: true })
  @ApiField(
    `Phone numbers, separated by commas; required unless there is a \`smartlist_id\`; at most ${maxRecipients}. One that is there twice, however it is spelt, is sent to and paid for once`,
    '08031234567',
  )
  recipients?: string;

  @IsOptional()
  @IsString()
  @Required()
  @StandsForRecipients()
  @ApiField(
    'Instead of `recipients`: a smartlist of your contacts. `{{Name}}` in the text is filled from the column Name',
    '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42',
  )
  smartlist_id?: string;

  @IsOptional()
  @IsString()
  @Required()
  @MaxLength(255)
  @NeedsSmartlist()
  @ApiField(
    'The name of the column that holds the smartlist’s numbers; the first of that type unless it says otherwise',
    'Mobile',
  )
  phone_column?: string;

  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(11)
  @Matches(senderPattern, {
    message: ({ value }) =>
      isSender(givenText(value).replace(/^ +/, ''))
        ? '$property must not begin with a space'
        : '$property must consist of printable characters of the GSM-7 alphabet, and not begin with a space',
  })
  @ApiField('Who the message comes from; the organisation’s usual sender unless it says otherwise', 'Gangan')
  sender_id?: string;

  @IsOptional()
  @IsString()
  @IsIn(channels)
  @ApiField('`sms` unless it says otherwise', 'sms')
  channel?: Channel;

  @ValidateIf(contentMatters)
  @IsContent()
  @IsString()
  @MaxLength(maxTextLength)
  @ApiField('The text; required unless there is a `template_id`, which wins', 'Your order has left.')
  content?: string;

  @IsOptional()
  @IsString()
  @NotBlank()
  @MaxLength(maxTextLength)
  @ApiField('A template whose body is the text', '01900000-0000-7000-8000-000000000006')
  template_id?: string;

  @IsOptional()
  @NeedsTemplate()
  @ArrayMaxSize(maxRecipients)
  @NestedList(SmsPersonalisation)
  @ApiField('What the template’s placeholders stand for, recipient by recipient', [
    { to: '08031234567', substitutions: { name: 'Ada' } },
  ])
  personalisation?: SmsPersonalisation[];

  @IsOptional()
  @IsString()
  @NotBlank()
  @OneLine()
  @MaxLength(255)
  @ApiField('Your own reference', 'order-17')
  external_ref?: string;

  @IsOptional()
  @IsBoolean()
  @ApiField('Whether links are replaced by short ones that tell when they are followed', false)
  is_trackable?: boolean;

  @IsOptional()
  @IsCallbackUrl()
  @ApiField('Where reports of what becomes of the message are sent', 'https://example.com/callbacks')
  callback?: string;
}
