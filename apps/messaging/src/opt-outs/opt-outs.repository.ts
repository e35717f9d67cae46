import { type Channel, Database, type OptOut, type OptOutSource } from '@gangan/database';
import { maxId } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import type { OwnedId } from '../owned-rows.js';

/** An opt-out belongs to an organisation, not to one of its senders: alphanumeric senders get no replies. */
export interface OptOutKey {
  readonly organisationId: string;
  readonly channel: Channel;
  /** E.164. */
  readonly phone: string;
}

@Injectable()
export class OptOutsRepository {
  constructor(private readonly database: Database) {}

  /** An earlier opt-out stays. */
  async add(id: string, key: OptOutKey, source: OptOutSource, createdAt: Date): Promise<OptOut> {
    for (;;) {
      await this.database.optOut.createMany({
        data: { id, ...key, source, createdAt },
        skipDuplicates: true,
      });
      const found = await this.database.optOut.findFirst({ where: { ...key } });
      // Otherwise it was removed in between.
      if (found) return found;
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
