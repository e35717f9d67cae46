import { Database, sql } from '@gangan/database';
import { newContext, newId } from '@gangan/protocol';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AudienceRepository } from '../src/audiences/audience.repository.js';
import { AudienceService } from '../src/audiences/audience.service.js';
import { QueryRepository } from '../src/query/query.repository.js';
import { TablesRepository } from '../src/tables/tables.repository.js';
import { Office } from './support/office.js';
import { Transfers } from './support/transfers.js';

describe('queries that take long', () => {
  let office: Office;
  let aside: Database;
  beforeAll(async () => {
    office = await Office.open(6);
    aside = new Database({ url: office.url, poolSize: 1 });
  }, 60_000);
  afterAll(async () => {
    await aside.close();
    await office.close();
  });

  /** Whoever reads rows meanwhile waits. */
  const whileRowsAreLocked = (work: () => Promise<void>): Promise<void> =>
    aside.transaction(async (transaction) => {
      await transaction.execute(sql`LOCK TABLE contact_row IN ACCESS EXCLUSIVE MODE`);
      await work();
    });

  const filters = [{ name: 'Name', operator: 'not_contain', value: 'x' } as const];
  const waysToAsk: Readonly<Record<string, (organisationId: string) => Promise<unknown>>> = {
    pages: (organisationId) => office.query(organisationId),
    exports: (organisationId) =>
      new Transfers(office).exports.create({ filters }, newContext({ organisationId })),
    'smartlists to send to': async (organisationId) => {
      const context = newContext({ organisationId });
      const { id } = await office.smartlists.create({ name: newId(), filters }, context);
      const tables = new TablesRepository(office.database);
      const repository = new AudienceRepository(office.database);
      const audiences = new AudienceService(tables, office.queries, office.turns, repository);
      return audiences.open({ smartlist_id: id, names: [] }, context);
    },
  };

  it.each(Object.entries(waysToAsk))('of %s leave connections to everybody else', async (_, ask) => {
    const [slow, other] = [await office.organisation(), await office.organisation()];
    await office.add(slow);
    const queries: Promise<unknown>[] = [];
    await whileRowsAreLocked(async () => {
      for (let nth = 0; nth < 8; nth += 1) queries.push(ask(slow));
      await pause(300);
      expect((await office.table(other)).columns).toHaveLength(3);
      expect((await office.smartlists.list(newContext({ organisationId: other }))).length).toBe(1);
    });
    expect(await Promise.all(queries)).toHaveLength(8);
  });

  it('and run twice at the same time are one', async () => {
    const organisationId = await office.organisation();
    await office.add(organisationId, { Name: 'Ada' });
    const context = newContext({ organisationId });
    const runs: Promise<unknown>[] = [];
    await whileRowsAreLocked(async () => {
      for (let nth = 0; nth < 2; nth += 1) runs.push(office.queries.query({ rows: {}, page: {} }, context));
      await pause(300);
    });
    const [first, second] = await Promise.all(runs);
    expect(second).toEqual(first);
    expect(first).toMatchObject({ meta: { pagination: { query_id: context.operationId, count_total: 1 } } });
  });

  it('end when nobody waits for them any longer', async () => {
    const { id: tableId } = await office.table(await office.organisation());
    const wish = { tableId, filters: [], fingerprint: Buffer.alloc(32), page: 1, until: Date.now() + 200 };
    await whileRowsAreLocked(() =>
      expect(new QueryRepository(office.database).begin(wish, newId(), 10)).rejects.toMatchObject({
        status: 503,
        message: expect.stringContaining('took too long'),
      }),
    );
  });
});
