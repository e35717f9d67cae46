import { hash as hashText, timingSafeEqual } from 'node:crypto';
import { demoApiKey, isInventedKey } from '@gangan/database';
import { boundedCache, FairSlots, SlotTimeoutError, unavailable } from '@gangan/protocol';
import { AppLogger, RuntimeConfig } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { readWithTimeout } from '../http/errors/read-with-timeout.js';
import { NegativeCache } from '../negative-cache.js';
import { type ActiveKey, ApiKeyRepository } from './api-key.repository.js';
import { badKey } from './auth.errors.js';

const lookupTimeoutMs = 3_000;

/** `sk_live_…` or `sk_test_…`, without a scheme such as `Bearer`. */
const keyFormat = /^sk_(?:live|test)_[\x21-\x7e]{1,200}$/;

@Injectable()
export class Authenticator {
  /** A flood of unknown keys from one address leaves connections to the database for everything else. */
  private readonly reads = new FairSlots({ total: 16, perKey: 4 });

  /** The hashes of keys that were valid within the last hour. */
  private readonly known = boundedCache<true>(10_000, { ttl: 3_600_000 });

  constructor(
    private readonly repository: ApiKeyRepository,
    private readonly cache: NegativeCache<ActiveKey>,
    private readonly logger: AppLogger,
    private readonly config: RuntimeConfig,
  ) {}

  /** The key of the request if it was authenticated a short time ago, as nearly all are; found without waiting. */
  findCached(rawHeaders: readonly string[]): ActiveKey | undefined {
    const hash = hashOfKey(rawHeaders);
    return hash === undefined ? undefined : this.cache.getHit(hash);
  }

  /** Whether the request is probably one of a customer: its key was valid at this gateway within the last hour. */
  isKnown(rawHeaders: readonly string[]): boolean {
    const hash = hashOfKey(rawHeaders);
    return hash !== undefined && this.known.has(hash);
  }

  /** Whether a busy gateway may look this key up: after a start it knows no keys. One lookup per address at a time. */
  mayLookUp(rawHeaders: readonly string[], address: string): boolean {
    const presented = presentedKey(rawHeaders);
    if (presented === undefined || isInventedKey(presented)) return false;
    if (this.cache.hasMiss(hashText('sha256', presented, 'base64'))) return false;
    return this.reads.inFlightOf(address) === 0 && this.reads.free > 0;
  }

  /** @throws AppError 401, or 503 when the database is unavailable */
  async authenticate(rawHeaders: readonly string[], address: string): Promise<ActiveKey> {
    const presented = presentedKey(rawHeaders);
    if (presented === undefined || isInventedKey(presented)) throw badKey();
    if (presented === demoApiKey && this.config.isProduction) throw badKey();
    const hash = hashText('sha256', presented, 'buffer');
    const name = hash.toString('base64');
    const key = await this.cache.get(name, () => this.find(hash, address));
    if (!key || !timingSafeEqual(key.hash, hash)) {
      this.known.delete(name);
      throw badKey();
    }
    return key;
  }

  /** Whether requests may use the public key of the demo organisation. Never in production. */
  acceptsDemoKey(): Promise<boolean> {
    return this.authenticate(['Authorization', demoApiKey], 'demo').then(
      ({ suspended }) => !suspended,
      () => false,
    );
  }

  private async find(hash: Buffer, address: string): Promise<ActiveKey | undefined> {
    const key = await this.reads
      .run(address, () => readWithTimeout(lookupTimeoutMs, this.repository.findActive(hash)), {
        timeoutMs: lookupTimeoutMs,
      })
      .catch((error: unknown) => {
        throw error instanceof SlotTimeoutError ? unavailable() : error;
      });
    if (key) {
      this.known.set(hash.toString('base64'), true);
      this.repository.markUsed(key.id).catch((error: unknown) => {
        this.logger.warn({ err: error }, 'last use of an API key was not stored');
      });
    }
    return key;
  }
}

function hashOfKey(rawHeaders: readonly string[]): string | undefined {
  const presented = presentedKey(rawHeaders);
  return presented === undefined ? undefined : hashText('sha256', presented, 'base64');
}

/** The key in the only Authorization header. Reads the raw headers, because Fastify keeps only the first of several. */
export function presentedKey(rawHeaders: readonly string[]): string | undefined {
  let key: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() !== 'authorization') continue;
    if (key !== undefined) return undefined;
    key = rawHeaders[index + 1];
  }
  return key !== undefined && keyFormat.test(key) ? key : undefined;
}
