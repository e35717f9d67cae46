import type { AirtimeCallback } from '@gangan/contracts';
import { Database, sql } from '@gangan/database';
import { migrate } from '@gangan/storage';
import { newId } from '@gangan/protocol';
import { anEndpoint, anOrganisation, createTestDatabase, type TestDatabase } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { recordCallbacks, type NewCallback } from '../src/index.js';

const at = '2026-11-15T09:30:00.123000+00:00';

describe('recordCallbacks', () => {
  let postgres: TestDatabase;
  let database: Database;
  let organisationId: string;
  beforeAll(async () => {
    postgres = await createTestDatabase(migrate);
    database = new Database({ url: postgres.url, poolSize: 2 });
    organisationId = (await anOrganisation(database)).id;
  });
  afterAll(async () => {
    await database.close();
    await postgres.drop();
  });

  const callback = (type: AirtimeCallback['type']): NewCallback => {
    const id = newId();
    return {
      organisationId,
      resourceId: id,
      requestId: 'request-1',
      url: 'https://Example.com:8443/hook',
      hasEndpoints: false,
      body: {
        type,
        timestamp: at,
        data: {
          id,
          network: 'MTN',
          amount: 100,
          recipient: '08031234567',
          status: 'success',
          refunded: false,
          created_datetime: at,
          updated_datetime: at,
        },
      },
    };
  };
  const stored = (ids: readonly string[]) =>
    database.query<{ id: string; host: string; body: string; due: boolean }>(sql`
      SELECT id, host, body, state = 'pending' AND next_attempt_at <= now() AS due
      FROM callback WHERE id = ANY (${ids}::uuid[]) ORDER BY id`);

  it('stores callbacks that are due at once, each with its body', async () => {
    const reports = [callback('airtime.sent'), callback('airtime.success')];
    const ids = await database.transaction((transaction) => recordCallbacks(transaction, reports));
    expect(await stored(ids)).toEqual(
      ids.map((id, place) => ({
        id,
        host: 'example.com:8443',
        body: JSON.stringify(reports[place]?.body),
        due: true,
      })),
    );
  });

  it('stores callbacks that are due at once even if the clock would be rounded up', async () => {
    for (let round = 0; round < 30; round++) {
      const [due] = await database.transaction(async (transaction) => {
        await recordCallbacks(transaction, [callback('airtime.sent')]);
        return transaction.query(sql`SELECT bool_and(next_attempt_at <= now()) AS now FROM callback`);
      });
      expect(due).toEqual({ now: true });
    }
  });

  it('stores nothing if the transaction is rolled back', async () => {
    let ids: string[] = [];
    const undone = database.transaction(async (transaction) => {
      ids = await recordCallbacks(transaction, [callback('airtime.failed')]);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(ids).toHaveLength(1);
    expect(await stored(ids)).toEqual([]);
  });

  it('stores one for each endpoint that is on and receives the type, beside the one for the URL', async () => {
    const { id: owner } = await anOrganisation(database);
    const endpoint = (columns: object) =>
      anEndpoint(database, owner, { events: ['airtime.sent'], ...columns });
    const [first, second] = [
      await endpoint({ url: 'https://a.example/x', host: 'a.example' }),
      await endpoint({ url: 'https://b.example/x', host: 'b.example' }),
    ];
    await endpoint({ enabled: false });
    await endpoint({ events: ['airtime.failed'] });
    await anEndpoint(database, organisationId, { events: ['airtime.sent'] });
    const report = { ...callback('airtime.sent'), organisationId: owner, hasEndpoints: true };
    const ids = await database.transaction((transaction) =>
      recordCallbacks(transaction, [report, { ...report, url: null }]),
    );
    const body = JSON.stringify(report.body);
    const rows = await database.callback.findMany({
      where: { organisationId: owner },
      orderBy: [{ host: 'asc' }, { id: 'asc' }],
    });
    expect(rows.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    expect(rows.map(({ endpointId, url }) => [endpointId, url])).toEqual([
      ...Array.from({ length: 2 }, () => [first, 'https://a.example/x']),
      ...Array.from({ length: 2 }, () => [second, 'https://b.example/x']),
      [null, 'https://Example.com:8443/hook'],
    ]);
    for (const row of rows) expect(row).toMatchObject({ body, requestId: 'request-1', state: 'pending' });
  });

  it('accepts an empty list', async () => {
    expect(await recordCallbacks(database, [])).toEqual([]);
  });
});
