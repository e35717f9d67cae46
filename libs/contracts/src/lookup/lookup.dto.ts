import { IsBoolean, IsString } from 'class-validator';
import { ApiField } from '../schema/describe.js';
import { IsPhone } from '../validation/is-phone.js';
import { Required } from '../validation/required.js';

export class LookupPhoneRequest {
  @Required()
  @IsString()
  @IsPhone()
  @ApiField(
    'The number to look up, as people write it; without a country code it is read as a Nigerian one',
    '0803 123 4567',
  )
  phone: string;
}

export class PhoneLookup {
  @IsString()
  @ApiField(
    'The number as it was given if that was international, else its international digits',
    '2348031234567',
  )
  msisdn: string;

  @IsString()
  @ApiField('The carrier, or `UNKNOWN`', 'MTN')
  operator: string;

  @IsString()
  @ApiField('ISO 3166 alpha-2, or `UNKNOWN`', 'NG')
  country: string;

  @IsBoolean()
  @ApiField('Whether the number has moved to another carrier than its prefix tells', false)
  ported: boolean;

  @IsBoolean()
  @ApiField('Whether its owner wants no promotional messages (do not disturb)', false)
  dnd: boolean;
}
