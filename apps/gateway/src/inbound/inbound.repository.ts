import type { ReceiveInbound } from '@gangan/contracts';
import { Database, statement, sql, t } from '@gangan/database';
import { FairSlots, newId } from '@gangan/protocol';
import { InboundSealer } from '@gangan/sealing';
import { Injectable } from '@nestjs/common';

const storeUnverified = statement(
  { stored: t.bool },
  (id: string, provider: string, method: string, sealed: Buffer) => sql`
    SELECT store_unverified(${id}::uuid, ${provider}, ${method}, ${sealed}) AS stored`,
);

/** These statements wait for each other in the database, and must not occupy all connections. */
const maxConnections = 2;

@Injectable()
export class InboundRepository {
  private readonly slots = new FairSlots({ total: maxConnections });

  constructor(
    private readonly database: Database,
    private readonly sealer: InboundSealer,
  ) {}

  /** Stores a request that no worker has verified. @returns whether there was room for it */
  async storeUnverified(provider: string, request: ReceiveInbound): Promise<boolean> {
    const id = newId();
    const sealed = this.sealer.seal(JSON.stringify(request), id);
    const rows = await this.slots.run(provider, () =>
      this.database.run(storeUnverified, id, provider, request.method, sealed),
    );
    return rows[0]?.stored ?? false;
  }
}
