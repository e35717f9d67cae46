import type { PhoneLookup } from './lookup.dto.js';

/** `live`: a provider said it just now; `cache`: it said so lately; `none`: nobody knows. */
export type LookupSource = 'live' | 'cache' | 'registry' | 'plan' | 'none';

export class LookupSources {
  operator: LookupSource;
  country: LookupSource;
  ported: LookupSource;
  dnd: LookupSource;
}

/** What a worker knows of a number, and from where. */
export class LookupReply {
  found?: PhoneLookup;
  sources?: LookupSources;
  /** A live provider should have told, and did not. */
  providerSilent?: boolean;
}
