import { type Channel, channels } from '../delivery/delivery.dto.js';
import { PageMeta, PageQuery } from '../pagination.dto.js';
import { exampleTime } from '../schema/api-field.js';
import {
  EnumField,
  IdField,
  ListField,
  ObjectField,
  OptionalEnumField,
  OptionalIdField,
  OptionalObjectField,
  OptionalTextField,
  RequiredTextField,
  TextField,
  TextListField,
} from '../schema/fields.js';
import { IsName, IsPhone, MaxLength } from '../validation/fields/decorators.js';

/** The number at which a test organisation receives messages if it has no number of its own. */
export const simulatedNumber = '+2347000000001';

const maxNumberLength = 64;
const maxTextLength = 4_096;

export class PlayInboundRequest {
  @RequiredTextField('Phone number of the sender, in any common notation', '07000000011')
  @IsPhone()
  from: string;

  @OptionalTextField(
    `Number that receives the message: a phone number in any common notation, or a short code. Default: your first number of the channel, or \`${simulatedNumber}\` if you have none`,
    simulatedNumber,
  )
  @IsName(maxNumberLength)
  to?: string;

  @OptionalEnumField(channels, 'Channel. Default: `sms`', 'sms')
  channel?: Channel;

  @RequiredTextField('Text of the message', 'Hello')
  @MaxLength(maxTextLength)
  text: string;
}

/** How long the simulator shows what it was given. */
export const outboxKeptMs = 3_600_000;

export class ListOutboxRequest extends PageQuery {
  @OptionalTextField('Return only messages to this phone number, in any common notation', '07000000001')
  @IsPhone()
  recipient?: string;

  @OptionalEnumField(channels, 'Return only messages of this channel', 'sms')
  channel?: Channel;
}

const outcomes = ['accepted', 'rejected', 'lost'] as const;

/** A template of WhatsApp with its values. */
export class OutboxTemplate {
  @TextField('Name of the template at WhatsApp', 'order_update')
  name: string;

  @TextField('Language of the template', 'en')
  language: string;

  @TextListField('Values of the placeholders, in their order', ['Ada'])
  values: string[];
}

/** A message that the simulator was given instead of a carrier. */
export class OutboxMessage {
  @IdField('Id of this entry')
  id: string;

  @OptionalIdField('Id of the message (`GET /sms/{id}`); absent for an OTP')
  message_id?: string;

  @OptionalIdField('Id of the OTP (`GET /otp/{id}`); absent for a message')
  otp_id?: string;

  @EnumField(channels, 'Channel', 'sms')
  channel: Channel;

  @TextField('Sender that the recipient would see', 'Acme')
  sender_id: string;

  @TextField('Phone number with country code', '+2347000000001')
  recipient: string;

  @TextField(
    'Text that the recipient would get, with values, short links and tokens',
    'Your code is 73519604',
  )
  text: string;

  @OptionalObjectField(OutboxTemplate, 'WhatsApp: the template, if the message uses one')
  template?: OutboxTemplate;

  @EnumField(
    outcomes,
    '`accepted`: the recipient would have it. `rejected`: the number cannot receive messages. `lost`: the attempt got no answer, and another one follows',
    'accepted',
  )
  outcome: (typeof outcomes)[number];

  @TextField('Time at which the simulator was given the message', exampleTime)
  created_datetime: string;
}

export class OutboxPage {
  @ListField(OutboxMessage, 'Messages of the last hour, newest first')
  messages: OutboxMessage[];

  @ObjectField(PageMeta, 'The request, and where the next page starts')
  meta: PageMeta;
}
