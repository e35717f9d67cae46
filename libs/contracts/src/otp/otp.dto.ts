import {
  IsIn,
  IsInt,
  IsNumber,
  IsOptional,
  IsString,
  Matches,
  Max,
  Min,
  MinLength,
  ValidateIf,
} from 'class-validator';
import { type Channel, channels } from '../delivery/delivery.dto.js';
import { ApiField, exampleId, exampleTime } from '../schema/api-field.js';
import { IsPhone, MaxLength, Required } from '../validation/decorators.js';

export const defaultOtpLength = 4;
export const defaultOtpMinutes = 15;

/** All but `SENT` are final. */
export const otpStatuses = { SENT: 1, VERIFIED: 2, EXPIRED: 3, FAILED: 4, REVOKED: 5 } as const;

export type OtpStatusName = keyof typeof otpStatuses;
export type OtpStatus = (typeof otpStatuses)[OtpStatusName];

const statusNames = Object.keys(otpStatuses) as readonly OtpStatusName[];
const statusNumbers = Object.values(otpStatuses) as readonly OtpStatus[];

export const otpStatusName = (status: OtpStatus): OtpStatusName =>
  statusNames[statusNumbers.indexOf(status)] ?? 'FAILED';

/** 4 to 15 visible ASCII characters. A string, so that leading zeros are kept. */
const IsOtpToken = (): PropertyDecorator => (target, property) => {
  const rules = [
    MinLength(4),
    MaxLength(15),
    Matches(/^[\x21-\x7e]{4,15}$/, { message: '$property must consist of visible ASCII characters' }),
  ];
  for (const rule of rules) rule(target, property);
};

const isLengthUsed = ({ token, length }: { token?: unknown; length?: unknown }): boolean =>
  typeof token !== 'string' && length !== undefined && length !== null;

export class RequestOtpRequest {
  @Required()
  @IsString()
  @IsPhone()
  @ApiField(
    'Recipient: a phone number in any common notation. A number without a country code is read as a Nigerian one',
    '08031234567',
  )
  recipient: string;

  @ValidateIf(isLengthUsed)
  @IsInt()
  @Min(4)
  @Max(8)
  @ApiField(`Number of digits of the token. Default: ${defaultOtpLength}. Ignored if \`token\` is given`, 6)
  length?: number;

  @IsOptional()
  @IsNumber()
  @Min(1)
  @Max(60)
  @ApiField(`Minutes until the token expires. Default: ${defaultOtpMinutes}`, 10)
  expires_in?: number;

  @IsOptional()
  @IsString()
  @IsOtpToken()
  @ApiField('Your own token. Default: random digits', '73519604')
  token?: string;

  @IsOptional()
  @IsString()
  @IsIn(channels)
  @ApiField('Channel of the message. Default: `sms`', 'sms')
  channel?: Channel;
}

export class VerifyOtpRequest {
  @Required()
  @IsString()
  @ApiField('Id of the OTP', exampleId)
  id: string;

  @Required()
  @IsString()
  @IsOtpToken()
  @ApiField('Token that the recipient entered', '73519604')
  token: string;
}

export class FindOtpRequest {
  @Required()
  @IsString()
  id: string;
}

export class OtpsOfRecipientRequest {
  @Required()
  @IsString()
  @IsPhone()
  @ApiField('Phone number of the recipient in any common notation', '08031234567')
  recipient: string;

  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(1_000)
  @ApiField('Maximum number of OTPs. Default: all', 10)
  limit?: number;
}

export class OtpRecord {
  @IsString()
  @ApiField('Id of the OTP', exampleId)
  id: string;

  @IsString()
  @ApiField('`recipient` of the request', '08031234567')
  recipient: string;

  @IsInt()
  @IsIn(statusNumbers)
  @ApiField(
    '1 sent, 2 verified, 3 expired, 4 failed (not delivered, or no attempts left), 5 revoked. All but 1 are final',
    1,
  )
  status: OtpStatus;

  @IsString()
  @IsIn(statusNames)
  @ApiField('Name of the status', 'SENT')
  status_desc: OtpStatusName;

  @IsString()
  @ApiField('Time of the request', exampleTime)
  created_datetime: string;

  @IsOptional()
  @IsString()
  @ApiField('Time of the last status change', exampleTime)
  updated_datetime?: string;
}
