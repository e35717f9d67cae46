import { IsIn, IsInt, IsNumber, IsOptional, IsString, Max, Min, ValidateIf } from 'class-validator';
import { type Channel, channels } from '../channel.js';
import { ApiField } from '../schema/describe.js';
import { IsPhone } from '../validation/is-phone.js';
import { Required } from '../validation/required.js';
import { IsOtpToken } from './is-otp-token.js';
import { type OtpStatus, type OtpStatusName, otpStatusNames, otpStatusNumbers } from './otp-status.js';

const id = '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42';
const time = '2026-11-15T09:30:00.123000+00:00';

export const defaultOtpLength = 4;
export const defaultOtpMinutes = 15;

const lengthMatters = ({ token, length }: { token?: unknown; length?: unknown }): boolean =>
  typeof token !== 'string' && length !== undefined && length !== null;

export class RequestOtpRequest {
  @Required()
  @IsString()
  @IsPhone()
  @ApiField(
    'Who receives the token, as people write it; without a country code it is read as a Nigerian number',
    '08031234567',
  )
  recipient: string;

  @ValidateIf(lengthMatters)
  @IsInt()
  @Min(4)
  @Max(8)
  @ApiField(
    `How many digits the token has, ${defaultOtpLength} unless it says otherwise; not used beside a token of your own`,
    6,
  )
  length?: number;

  @IsOptional()
  @IsNumber()
  @Min(1)
  @Max(60)
  @ApiField(`Minutes until it expires, ${defaultOtpMinutes} unless it says otherwise`, 10)
  expires_in?: number;

  @IsOptional()
  @IsString()
  @IsOtpToken()
  @ApiField('A token of your own; otherwise one is made of random digits', '73519604')
  token?: string;

  @IsOptional()
  @IsString()
  @IsIn(channels)
  @ApiField('`sms` unless it says otherwise', 'sms')
  channel?: Channel;
}

export class VerifyOtpRequest {
  @Required()
  @IsString()
  @ApiField('Of the OTP, as the request for it was answered', id)
  id: string;

  @Required()
  @IsString()
  @IsOtpToken()
  @ApiField('What its recipient has entered', '73519604')
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
  @ApiField('Whose OTPs to read, in any spelling of the number', '08031234567')
  recipient: string;

  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(1_000)
  @ApiField('How many to answer with; all of them unless it says otherwise', 10)
  limit?: number;
}

export class OtpRecord {
  @IsString()
  @ApiField('Of the OTP', id)
  id: string;

  @IsString()
  @ApiField('As it was given', '08031234567')
  recipient: string;

  @IsInt()
  @IsIn(otpStatusNumbers)
  @ApiField(
    '1 sent, 2 verified, 3 expired, 4 failed (it could not be delivered, or the attempts were used up), 5 revoked; all but 1 are final',
    1,
  )
  status: OtpStatus;

  @IsString()
  @IsIn(otpStatusNames)
  @ApiField('The status in a word', 'SENT')
  status_desc: OtpStatusName;

  @IsString()
  @ApiField('When it was requested', time)
  created_datetime: string;

  @IsOptional()
  @IsString()
  @ApiField('When its status changed', time)
  updated_datetime?: string;
}
