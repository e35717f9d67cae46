import {
  BooleanField,
  OptionalBooleanField,
  OptionalEnumField,
  RequiredTextField,
  TextField,
} from '../schema/fields.js';
import { IsPhone } from '../validation/fields/decorators.js';

/** What numbers are used for, as far as providers report it. */
export const lineTypes = [
  ...(['mobile', 'landline', 'voip', 'fixed_voip', 'non_fixed_voip', 'toll_free', 'premium'] as const),
  ...(['shared_cost', 'personal', 'uan', 'voicemail', 'pager'] as const),
] as const;
export type LineType = (typeof lineTypes)[number];

export class LookupPhoneRequest {
  @RequiredTextField(
    'Phone number in any common notation. A number without a country code is read as a Nigerian one',
    '0700 000 0008',
  )
  @IsPhone()
  phone: string;
}

export class PhoneLookup {
  @TextField(
    'The number as in the request if it was international, otherwise its international digits',
    '2347000000008',
  )
  msisdn: string;

  @TextField('Network of the number, or `UNKNOWN`', 'Glo')
  operator: string;

  @TextField('Country (ISO 3166 alpha-2), or `UNKNOWN`', 'NG')
  country: string;

  @BooleanField('Whether the number was ported to another network than that of its prefix', true)
  ported: boolean;

  @BooleanField('Whether the number is on the do-not-disturb list: no promotional messages', false)
  dnd: boolean;

  @OptionalEnumField(lineTypes, 'Type of the line; absent if no provider reported it', 'mobile')
  line_type?: LineType;

  @OptionalBooleanField('Whether the number is roaming; absent if no provider reported it', false)
  roaming?: boolean;
}

/** `live`: from a provider just now; `cache`: from a provider earlier; `none`: unknown. */
export type LookupSource = 'live' | 'cache' | 'registry' | 'plan' | 'none';

export class LookupSources {
  operator: LookupSource;
  country: LookupSource;
  ported: LookupSource;
  dnd: LookupSource;
  line_type?: LookupSource;
  roaming?: LookupSource;
}

/** What a worker knows about a number, and the source of each field. */
export class LookupReply {
  found?: PhoneLookup;
  sources?: LookupSources;
  /** A live provider was called and did not respond. */
  providerSilent?: boolean;
}

/** `operator=live, country=plan, ported=live, dnd=registry`, and `live=unavailable` if no provider responded. */
export const formatLookupSources = ({ sources, providerSilent }: Omit<LookupReply, 'found'>): string =>
  [
    ...Object.entries(sources ?? {}).map(([field, source]) => `${field}=${String(source)}`),
    ...(providerSilent ? ['live=unavailable'] : []),
  ].join(', ');
