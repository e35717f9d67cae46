import { IsString } from 'class-validator';
import { IsPhone } from '../validation/is-phone.js';
import { Required } from '../validation/required.js';

export class LookupPhoneRequest {
  @Required()
  @IsString()
  @IsPhone()
  phone: string;
}

export class PhoneLookup {
  msisdn: string;
  operator: string;
  country: string;
  ported: boolean;
  dnd: boolean;
}
