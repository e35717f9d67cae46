import { type DataKeyName, dataKeyNames, dataKeysOf } from './data-keys.js';
import type { KeySource } from './named-keys.js';
import { TextSealer } from './text-sealer.js';

const texts = ['messaging/texts'] as const;
const callbackSecrets = ['callback/secrets'] as const;

/** The keys of what belongs to a provider: each domain has its own. */
const ofProviders = {
  message: ['messaging/providers'],
  airtime: ['airtime/providers'],
  lookup: ['lookup/providers'],
} as const;

/**
 * The columns that hold sealed texts, and the names of their keys. A process seals with the first key that it has, and opens
 * with all of them: messaging opens the deliveries that otp adds, but otp does not open those of messages.
 */
const columns = {
  'callback.sealed_body': ['messaging/callbacks'],
  'callback_endpoint_secret.sealed_secret': callbackSecrets,
  'callback_secret.sealed_secret': callbackSecrets,
  'delivery.sealed_body': [...texts, 'otp/deliveries'],
  'inbound_request.sealed_content': texts,
  'incoming_message.sealed_text': texts,
  'message.sealed_text': texts,
  'otp.sealed_token': ['otp/tokens'],
  'outbox_message.sealed_text': texts,
  'provider.sealed_secrets': ofProviders,
  'provider.sealed_token': ofProviders,
  'tracked_link.sealed_url': texts,
} as const;

export type SealedColumn = keyof typeof columns;

/** Where a sealed text is stored. It opens only there, so that no row can be given the value of another. */
export interface SealedPlace {
  readonly column: SealedColumn;
  readonly organisationId: string;
  /** The id of the row. */
  readonly id: string;
  /** The domain of a provider. */
  readonly domain?: keyof typeof ofProviders | undefined;
}

/** Seals what is stored, with the keys of `DATA_KEYS`. */
export class DataSealer {
  private readonly sealers = new Map<DataKeyName, TextSealer>();

  /** @param keys the first key of each name seals, all of them open */
  constructor(keys: KeySource) {
    for (const name of dataKeyNames) {
      const named = keys.of(name);
      if (named.length > 0)
        this.sealers.set(name, new TextSealer(named, { variable: 'DATA_KEYS', use: 'gangan-data' }));
    }
  }

  /** What texts that are sealed now begin with; reveals nothing about the keys. */
  get sealingIds(): Buffer[] {
    return [...this.sealers.values()].map(({ sealingId }) => sealingId);
  }

  /** What texts that can be opened begin with. */
  get openableIds(): Buffer[] {
    return [...this.sealers.values()].flatMap(({ openableIds }) => openableIds);
  }

  /** @throws if this process has no key for the place */
  seal(text: string, place: SealedPlace): Buffer {
    const [sealer] = this.sealersOf(place);
    if (sealer) return sealer.seal(text, boundTo(place));
    throw missingKey(place);
  }

  /** @throws if it was altered, belongs to another place, or was sealed with a key that this process does not have */
  open(sealed: Uint8Array, place: SealedPlace): string {
    const all = this.sealersOf(place);
    const sealer = all.find((one) => one.canOpen(sealed)) ?? all[0];
    if (sealer) return sealer.open(sealed, boundTo(place));
    throw missingKey(place);
  }

  private sealersOf(place: SealedPlace): TextSealer[] {
    return keyNamesOf(place).flatMap((name) => this.sealers.get(name) ?? []);
  }
}

/** A sealer of all data. For commands and tests. */
export const masterSealer = (masters: readonly string[]): DataSealer => new DataSealer(dataKeysOf(masters));

function keyNamesOf({ column, domain }: SealedPlace): readonly DataKeyName[] {
  const names = columns[column];
  if (!('message' in names)) return names;
  if (domain === undefined) throw new Error(`A place in ${column} needs a domain`);
  return names[domain];
}

const boundTo = ({ column, organisationId, id }: SealedPlace): string =>
  [column, organisationId, id].join(' ');

const missingKey = (place: SealedPlace): Error =>
  new Error(`DATA_KEYS has no key for ${keyNamesOf(place).join(' or ')}`);
