import { IsIn, Matches, Max, Min, MinLength, ValidateIf } from 'class-validator';
import { FailureReason } from '../reason.dto.js';
import { type Channel, channels } from '../delivery/delivery.dto.js';
import { exampleId, exampleTime } from '../schema/api-field.js';
import {
  EnumField,
  IntegerField,
  ListField,
  OptionalIntegerField,
  OptionalNumberField,
  OptionalObjectField,
  OptionalTextField,
  RequiredTextField,
  TextField,
} from '../schema/fields.js';
import { type SendStatus, sendStatuses } from '../sms/sms.dto.js';
import { combine, IsPhone, MaxLength } from '../validation/fields/decorators.js';
import { defaultOtpMinutes, FallbackAfterField, FallbackChannelsField } from './otp-fallback.js';

export const defaultOtpLength = 4;

/** The statuses of an OTP; all but `SENT` are final. */
export const otpStatuses = { SENT: 1, VERIFIED: 2, EXPIRED: 3, FAILED: 4, REVOKED: 5 } as const;

export type OtpStatusName = keyof typeof otpStatuses;
export type OtpStatus = (typeof otpStatuses)[OtpStatusName];

const statusNames = Object.keys(otpStatuses) as readonly OtpStatusName[];
const statusNumbers = Object.values(otpStatuses) as readonly OtpStatus[];

export const otpStatusName = (status: OtpStatus): OtpStatusName =>
  statusNames[statusNumbers.indexOf(status)] ?? 'FAILED';

/** A token has 4 to 15 visible ASCII characters. It is a string, so that leading zeros are kept. */
const IsOtpToken = (): PropertyDecorator =>
  combine(
    Matches(/^[\x21-\x7e]{4,15}$/, { message: '$property must consist of visible ASCII characters' }),
    MaxLength(15),
    MinLength(4),
  );

const isLengthUsed = ({ token }: { token?: unknown }): boolean => typeof token !== 'string';

export class RequestOtpRequest {
  @RequiredTextField(
    'Recipient: a phone number in any common notation. A number without a country code is read as a Nigerian one',
    '07000000001',
  )
  @IsPhone()
  recipient: string;

  @ValidateIf(isLengthUsed)
  @OptionalIntegerField(
    `Number of digits of the token. Default: ${defaultOtpLength}. Ignored if \`token\` is given`,
    6,
  )
  @Min(4)
  @Max(8)
  length?: number;

  @OptionalNumberField(`Minutes until the token expires. Default: ${defaultOtpMinutes}`, 10)
  @Min(1)
  @Max(60)
  expires_in?: number;

  @OptionalTextField('Your own token. Default: random digits', '73519604')
  @IsOtpToken()
  token?: string;

  @OptionalTextField('Channel of the message. Default: `sms`', 'whatsapp')
  @IsIn(channels)
  channel?: Channel;

  @FallbackChannelsField()
  fallback_channels?: Channel[];

  @FallbackAfterField()
  fallback_after?: number;
}

export class ResendOtpFields {
  @OptionalTextField('Channel of the message. Default: that of the last message of the OTP', 'sms')
  @IsIn(channels)
  channel?: Channel;
}

export class ResendOtpRequest extends ResendOtpFields {
  id: string;
}

export class VerifyOtpRequest {
  @RequiredTextField('Id of the OTP', exampleId)
  id: string;

  @RequiredTextField('Token that the recipient entered', '73519604')
  @IsOtpToken()
  token: string;
}

export class OtpsOfRecipientRequest {
  @RequiredTextField('Phone number of the recipient in any common notation', '07000000001')
  @IsPhone()
  recipient: string;

  @OptionalIntegerField('Maximum number of OTPs. Default: all', 10)
  @Min(1)
  @Max(1_000)
  limit?: number;
}

export class OtpRecord {
  @TextField('Id of the OTP', exampleId)
  id: string;

  @TextField('`recipient` of the request; `erased` if its data was erased', '07000000001')
  recipient: string;

  @IntegerField(
    '1 sent, 2 verified, 3 expired, 4 failed (not delivered, or no attempts left), 5 revoked. All but 1 are final',
    1,
  )
  @IsIn(statusNumbers)
  status: OtpStatus;

  @EnumField(statusNames, 'Name of the status', 'SENT')
  status_desc: OtpStatusName;

  @TextField('Time of the request', exampleTime)
  created_datetime: string;

  @OptionalTextField('Time of the last status change', exampleTime)
  updated_datetime?: string;
}

/** One message with the token of an OTP. */
export class OtpSend {
  @EnumField(channels, 'Channel of the message', 'whatsapp')
  channel: Channel;

  @EnumField(sendStatuses, 'Status of the message, as in `GET /sms/{id}`', 'undelivered')
  status: SendStatus;

  @OptionalObjectField(FailureReason, 'Why it was not delivered')
  reason?: FailureReason;

  @TextField('Time of acceptance', exampleTime)
  created_datetime: string;

  @OptionalTextField('Time of the last status change', exampleTime)
  updated_datetime?: string;
}

export class OtpDetails extends OtpRecord {
  @ListField(OtpSend, 'The messages of the OTP, oldest first')
  sends: OtpSend[];
}
