import { createHash, timingSafeEqual } from 'node:crypto';
import type { KeyScope } from '@gangan/protocol';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { readInTime } from '../http/read-in-time.js';
import { Recent } from '../recent.js';
import { ApiKeyRepository, type LivingKey } from './api-key.repository.js';
import { badKey, outOfScope, suspended } from './auth.errors.js';
import { presentedKey } from './presented-key.js';

const patienceMs = 3_000;

/**
 * Asks every caller for a key. It stands before the body is read (Nest's own guards come after): strangers do not
 * get to have theirs parsed.
 */
@Injectable()
export class ApiKeyCheck {
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
    const key = await readInTime(patienceMs, this.keys.findLiving(hash));
    if (key) this.markUsed(key.id);
    return key;
  }

  private markUsed(id: string): void {
    this.keys.markUsed(id).catch((error: unknown) => {
      this.logger.warn({ err: error }, 'the last use of a key was not written down');
    });
  }
}
