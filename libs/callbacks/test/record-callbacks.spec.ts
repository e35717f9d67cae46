import type { AirtimeCallback } from '@gangan/contracts';
import { createAccount, Database, migrate, sql } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { startPostgres, type TestPostgres } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { recordCallbacks, type NewCallback } from '../src/index.js';

const at = '2026-11-15T09:30:00.123000+00:00';

describe('reports to a consumer', () => {
  let postgres: TestPostgres;
  let database: Database;
  let organisationId: string;
  beforeAll(async () => {
    postgres = await startPostgres();
    await migrate(postgres.url);
    database = new Database({ url: postgres.url, poolSize: 2 });
    const account = await createAccount(database, { name: 'Test', sender: 'Test' });
    organisationId = account.organisations[0]?.id ?? '';
  }, 60_000);
  afterAll(async () => {
    await database.close();
    await postgres.stop();
  });

  const report = (type: AirtimeCallback['type']): NewCallback => {
    const id = newId();
    return {
      organisationId,
      resourceId: id,
      requestId: 'request-1',
      url: 'https://Example.com:8443/hook',
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

  it('are due as soon as they are committed, each with its own body', async () => {
    const reports = [report('airtime.sent'), report('airtime.success')];
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

  it('are due from their first moment, whatever the clock says behind the last digit kept', async () => {
    for (let round = 0; round < 30; round++) {
      const [due] = await database.transaction(async (transaction) => {
        await recordCallbacks(transaction, [report('airtime.sent')]);
        return transaction.query(sql`SELECT bool_and(next_attempt_at <= now()) AS now FROM callback`);
      });
      expect(due).toEqual({ now: true });
    }
  });

  it('go when what they tell of is undone', async () => {
    let ids: string[] = [];
    const undone = database.transaction(async (transaction) => {
      ids = await recordCallbacks(transaction, [report('airtime.failed')]);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(ids).toHaveLength(1);
    expect(await stored(ids)).toEqual([]);
  });

  it('need not be', async () => {
    expect(await recordCallbacks(database, [])).toEqual([]);
  });
});
