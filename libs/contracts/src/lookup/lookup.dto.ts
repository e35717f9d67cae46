import { IsBoolean, IsString } from 'class-validator';
import { Describe } from '../schema/describe.js';
import { IsPhone } from '../validation/is-phone.js';
import { Required } from '../validation/required.js';

export class LookupPhoneRequest {
  @Required()
  @IsString()
  @IsPhone()
  @Describe(
    'The number to look up, as people write it; without a country code it is read as a Nigerian one',
    '0803 123 4567',
  )
  phone: string;
}

export class PhoneLookup {
  @IsString()
  @Describe(
    'The number as it was given if that was international, else its international digits',
    '2348031234567',
  )
  msisdn: string;

  @IsString()
  @Describe('The carrier, or `UNKNOWN`', 'MTN')
  operator: string;

  @IsString()
  @Describe('ISO 3166 alpha-2, or `UNKNOWN`', 'NG')
  country: string;

  @IsBoolean()
  @Describe('Whether the number has moved to another carrier than its prefix tells', false)
  ported: boolean;

  @IsBoolean()
  @Describe('Whether its owner wants no promotional messages (do not disturb)', false)
  dnd: boolean;
}
