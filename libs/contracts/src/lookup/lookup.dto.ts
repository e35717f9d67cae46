import { IsBoolean, IsString } from 'class-validator';
import { ApiField } from '../schema/api-field.js';
import { IsPhone, Required } from '../validation/decorators.js';

export class LookupPhoneRequest {
  @Required()
  @IsString()
  @IsPhone()
  @ApiField(
    'Phone number in any common notation. A number without a country code is read as a Nigerian one',
    '0803 123 4567',
  )
  phone: string;
}

export class PhoneLookup {
  @IsString()
  @ApiField(
    'The number as in the request if it was international, otherwise its international digits',
    '2348031234567',
  )
  msisdn: string;

  @IsString()
  @ApiField('Network of the number, or `UNKNOWN`', 'MTN')
  operator: string;

  @IsString()
  @ApiField('Country (ISO 3166 alpha-2), or `UNKNOWN`', 'NG')
  country: string;

  @IsBoolean()
  @ApiField('Whether the number was ported to another network than that of its prefix', false)
  ported: boolean;

  @IsBoolean()
  @ApiField('Whether the number is on the do-not-disturb list: no promotional messages', false)
  dnd: boolean;
}

/** `live`: from a provider just now; `cache`: from a provider earlier; `none`: unknown. */
export type LookupSource = 'live' | 'cache' | 'registry' | 'plan' | 'none';

export class LookupSources {
  operator: LookupSource;
  country: LookupSource;
  ported: LookupSource;
  dnd: LookupSource;
}

/** What a worker knows about a number, and the source of each field. */
export class LookupReply {
  found?: PhoneLookup;
  sources?: LookupSources;
  /** A live provider was called and did not respond. */
  providerSilent?: boolean;
}
