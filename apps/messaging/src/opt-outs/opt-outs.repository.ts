import { Database, type OptOut } from '@gangan/database';
import { maxId } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import type { OwnedId } from '../owned-rows.js';
import { type NewOptOut, type OptOutKey, storeOptOuts } from './store-opt-outs.js';

@Injectable()
export class OptOutsRepository {
  constructor(private readonly database: Database) {}

  /** An earlier opt-out stays, and is returned. */
  async add(optOut: NewOptOut): Promise<{ optOut: OptOut; callbackIds: readonly string[] }> {
    const { organisationId, channel, phone } = optOut;
    for (;;) {
      const callbackIds = await this.database.transaction((transaction) =>
        storeOptOuts(transaction, [optOut]),
      );
      const found = await this.database.optOut.findFirst({ where: { organisationId, channel, phone } });
      // If it is not found, it was removed in between.
      if (found) return { optOut: found, callbackIds };
    }
  }

  /** Newest first. */
  list(filter: Partial<OptOutKey>, limit: number, before: string = maxId): Promise<OptOut[]> {
    return this.database.optOut.findMany({
      where: { ...filter, id: { lt: before } },
      orderBy: { id: 'desc' },
      take: limit,
    });
  }

  async remove(owned: OwnedId): Promise<OptOut | undefined> {
    const where = { ...owned };
    const found = await this.database.optOut.findFirst({ where });
    if (!found) return undefined;
    const { count } = await this.database.optOut.deleteMany({ where });
    return count > 0 ? found : undefined;
  }
}
