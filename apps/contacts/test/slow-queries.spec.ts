import { Database, sql } from '@gangan/database';
import { newContext, newId } from '@gangan/protocol';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AudienceService } from '../src/audience/audience.service.js';
import { ExportsService } from '../src/exports/exports.service.js';
import { QueryRepository } from '../src/query/query.repository.js';
import { TestContacts } from './support/test-contacts.js';

describe('slow queries', () => {
  let contacts: TestContacts;
  let aside: Database;
  beforeAll(async () => {
    contacts = await TestContacts.open(6);
    aside = new Database({ url: contacts.url, poolSize: 1 });
  });
  afterAll(async () => {
    await aside.close();
    await contacts.close();
  });

  /** Queries of rows wait until `work` ends. */
  const whileRowsAreLocked = (work: () => Promise<void>): Promise<void> =>
    aside.transaction(async (transaction) => {
      await transaction.execute(sql`LOCK TABLE contact_row IN ACCESS EXCLUSIVE MODE`);
      await work();
    });

  const filters = [{ name: 'Name', operator: 'not_contain', value: 'x' } as const];
  const kinds: Readonly<Record<string, (organisationId: string) => Promise<unknown>>> = {
    pages: (organisationId) => contacts.query(organisationId),
    exports: (organisationId) =>
      contacts.get(ExportsService).create({ filters }, newContext({ organisationId })),
    'smartlists to send to': async (organisationId) => {
      const context = newContext({ organisationId });
      const { id } = await contacts.smartlists.create({ name: newId(), filters }, context);
      return contacts.get(AudienceService).open({ smartlist_id: id, names: [] }, context);
    },
  };

  it.each(Object.entries(kinds))('of %s leave connections for other work', async (_, ask) => {
    const [slow, other] = [await contacts.organisation(), await contacts.organisation()];
    await contacts.add(slow);
    const queries: Promise<unknown>[] = [];
    await whileRowsAreLocked(async () => {
      for (let nth = 0; nth < 8; nth += 1) queries.push(ask(slow));
      await pause(300);
      expect((await contacts.table(other)).columns).toHaveLength(3);
      expect((await contacts.smartlists.list(newContext({ organisationId: other }))).length).toBe(1);
    });
    expect(await Promise.all(queries)).toHaveLength(8);
  });

  it('that run twice at the same time give one scroll', async () => {
    const organisationId = await contacts.organisation();
    await contacts.add(organisationId, { Name: 'Ada' });
    const context = newContext({ organisationId });
    const runs: Promise<unknown>[] = [];
    await whileRowsAreLocked(async () => {
      for (let nth = 0; nth < 2; nth += 1) runs.push(contacts.queries.query({ rows: {}, page: {} }, context));
      await pause(300);
    });
    const [first, second] = await Promise.all(runs);
    expect(second).toEqual(first);
    expect(first).toMatchObject({ meta: { pagination: { query_id: context.operationId, count_total: 1 } } });
  });

  it('are canceled at their deadline', async () => {
    const { id: tableId } = await contacts.table(await contacts.organisation());
    const query = {
      tableId,
      filters: [],
      fingerprint: Buffer.alloc(32),
      page: 1,
      deadline: Date.now() + 200,
    };
    await whileRowsAreLocked(() =>
      expect(new QueryRepository(contacts.database).begin(query, newId(), 10)).rejects.toMatchObject({
        status: 503,
        message: expect.stringContaining('took too long'),
      }),
    );
  });
});
