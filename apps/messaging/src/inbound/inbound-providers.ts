import { createHash } from 'node:crypto';
import type { InboundProvider, InboundProviderList } from '@gangan/contracts';
import { Database, RefreshedCache } from '@gangan/database';
import {
  findKind,
  inboundHeaders,
  inboundSecretNames,
  type InboundSettings,
  type InboundTokens,
  messageSettings,
  openSecrets,
  openTokens,
  readProviders,
  type StoredProvider,
} from '@gangan/providers';
import { DataSealer } from '@gangan/sealing';
import { Injectable } from '@nestjs/common';

/** How requests of a provider are verified. */
export interface KnownProvider {
  readonly name: string;
  readonly tokens: InboundTokens;
  readonly settings: InboundSettings;
  /** The secrets that the settings name. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** The longest time that a value is cached; callers may want a newer one. */
const ttlMs = 60_000;

/** Providers by name; undefined if this worker cannot verify what the provider sends. */
export type KnownProviders = ReadonlyMap<string, KnownProvider | undefined>;

/** The providers that may send requests. Requests that arrive at the same time share a read of the database. */
@Injectable()
export class InboundProviders {
  private readonly cache = new RefreshedCache<KnownProviders>(ttlMs, () => this.load());

  constructor(
    private readonly database: Database,
    private readonly sealer: DataSealer,
  ) {}

  /** What gateways need to refuse requests before they read them: no secret and no token. */
  async list(): Promise<InboundProviderList> {
    const known = await this.read(0);
    return { providers: [...known.values()].flatMap((provider) => (provider ? describe(provider) : [])) };
  }

  /** @param maxAgeMs how old a cached value may be. A read in progress is shared, however long it takes. */
  read(maxAgeMs: number): Promise<KnownProviders> {
    return this.cache.getRecent('all', maxAgeMs);
  }

  private async load(): Promise<KnownProviders> {
    const stored = await readProviders(this.database, 'message');
    return new Map(
      stored.flatMap((provider) =>
        provider.sealedToken === null
          ? []
          : [[provider.name, this.open(provider, provider.sealedToken)] as const],
      ),
    );
  }

  /** Undefined if its secrets cannot be opened; the worker logs that when it reads its routes. */
  private open(stored: StoredProvider, sealedToken: Uint8Array): KnownProvider | undefined {
    // Only newer workers know how providers of this kind sign their requests.
    if (!findKind(stored.kind, 'message')) return undefined;
    const { inbound: settings = {} } = messageSettings(stored.kind, stored.settings);
    try {
      const all = openSecrets(this.sealer, stored, stored.sealedSecrets);
      const used = inboundSecretNames(settings).flatMap((secret) => {
        const value = all[secret];
        return value === undefined ? [] : [[secret, value] as const];
      });
      return {
        name: stored.name,
        // A request may have arrived before the time of the former token was over.
        tokens: openTokens(this.sealer, stored, sealedToken, 0),
        settings,
        secrets: Object.fromEntries(used),
      };
    } catch {
      return undefined;
    }
  }
}

function describe({ name, tokens: { token, former }, settings }: KnownProvider): InboundProvider {
  const { addresses, maxBytes, handshake } = settings;
  const accepted = [token, ...(former && Number(former.until) > Date.now() ? [former.token] : [])];
  return {
    name,
    tokenDigests: accepted.map((one) => createHash('sha256').update(one).digest('base64')),
    ...(addresses && { addresses }),
    ...(maxBytes !== undefined && { maxBytes }),
    hasHandshake: handshake !== undefined,
    headers: inboundHeaders(settings),
  };
}
