import { type Channel, channels } from '../delivery/delivery.dto.js';
import { ApiField } from '../schema/api-field.js';
import { OptionalEnumField, OptionalTextField, TextField } from '../schema/fields.js';
import { IsName, IsPhone, MaxLength, NotBlank } from '../validation/fields/decorators.js';

/** The number of a test organisation that has none. */
export const simulatedNumber = '+2347000000001';

const maxNumberLength = 64;
const maxTextLength = 4_096;

export class PlayInboundRequest {
  @IsPhone()
  @ApiField('Phone number of the sender, in any common notation', '08031234567')
  from: string;

  @OptionalTextField(
    `Number that receives the message: a phone number in any common notation, or a short code. Default: your first number of the channel, or \`${simulatedNumber}\` if you have none`,
    simulatedNumber,
  )
  @IsName(maxNumberLength)
  to?: string;

  @OptionalEnumField(channels, 'Channel. Default: `sms`', 'sms')
  channel?: Channel;

  @NotBlank()
  @MaxLength(maxTextLength)
  @TextField('Text of the message', 'Hello')
  text: string;
}
