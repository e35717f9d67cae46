import { createHash, timingSafeEqual } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { sqlFailure } from '@gangan/database';
import { type KeyScope, unavailable } from '@gangan/protocol';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { ApiKeyRepository, type LivingKey } from './api-key.repository.js';
import { badKey, outOfScope, suspended } from './auth.errors.js';
import { presentedKey } from './presented-key.js';
import { Recent } from './recent.js';

const patienceMs = 3_000;

/**
 * Asks every caller for a key. It stands before the body is read (Nest's own guards come after): strangers do not
 * get to have theirs parsed.
 */
@Injectable()
export class ApiKeyGuard {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly recent: Recent<LivingKey>,
    private readonly logger: AppLogger,
  ) {}

  /** @throws AppError 401, or 503 when the database is away */
  async recognise(rawHeaders: readonly string[]): Promise<LivingKey> {
    const presented = presentedKey(rawHeaders);
    if (presented === undefined) throw badKey();
    const hash = createHash('sha256').update(presented).digest();
    const key = await this.recent.get(hash.toString('base64'), () => this.fetch(hash));
    if (!key || !timingSafeEqual(key.hash, hash)) throw badKey();
    return key;
  }

  /** @throws AppError 403 */
  authorise(key: LivingKey, scope: KeyScope): void {
    if (key.suspended) throw suspended();
    if (!key.scopes.includes(scope)) throw outOfScope(scope);
  }

  private async fetch(hash: Buffer): Promise<LivingKey | undefined> {
    const key = await Promise.race([this.find(hash), impatience()]);
    if (key) this.markUsed(key.id);
    return key;
  }

  private async find(hash: Buffer): Promise<LivingKey | undefined> {
    try {
      return await this.keys.findLiving(hash);
    } catch (error) {
      // Nothing was done yet, so whatever kept the database from answering, trying again is safe.
      throw ['data', 'other'].includes(sqlFailure(error)) ? error : unavailable(undefined, error);
    }
  }

  private markUsed(id: string): void {
    this.keys.markUsed(id).catch((error: unknown) => {
      this.logger.warn({ err: error }, 'the last use of a key was not written down');
    });
  }
}

async function impatience(): Promise<never> {
  await pause(patienceMs, undefined, { ref: false });
  throw unavailable(undefined, new Error(`The database has not answered within ${patienceMs} ms`));
}
