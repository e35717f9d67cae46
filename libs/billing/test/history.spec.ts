import { type Sql, sql, type Statements } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { charge, historyOf, type WalletHistoryQuery } from '../src/index.js';
import { Treasury } from './support/treasury.js';

describe('the history of a wallet', () => {
  let treasury: Treasury;
  beforeAll(async () => {
    treasury = await Treasury.open(1);
  });
  afterAll(() => treasury.close());

  const idsOf = async (query: WalletHistoryQuery): Promise<string[]> =>
    (await historyOf(treasury.database, query)).map(({ id }) => id);

  it('ends at a time or a transaction, whichever is earlier, with the id in any case', async () => {
    const organisationId = await treasury.organisation();
    const written = ['019a0000', '019c0000'].map((start) => `${start}-0000-7000-8000-000000000000`);
    for (const id of written) await book(organisationId, id);
    const until = new Date(0x019b_0000_0000);
    for (const before of ['019d0000-0000-7000-8000-00000000000a', '019D0000-0000-7000-8000-00000000000A']) {
      expect(await idsOf({ organisationId, limit: 9, before })).toEqual(written.toReversed());
      expect(await idsOf({ organisationId, limit: 9, before, until })).toEqual(written.slice(0, 1));
    }
    const early = '019A0001-0000-7000-8000-000000000000';
    expect(await idsOf({ organisationId, limit: 9, before: early, until })).toEqual(written.slice(0, 1));
  });

  it.each(['charge', 'top_up', undefined] as const)(
    'reads few rows of many for a page of %p',
    async (kind) => {
      const organisationId = await treasury.organisation(1_000n);
      await charge(treasury.database, 'message', [{ subjectId: newId(), organisationId, kobo: 1n }]);
      const query = { organisationId, kind, limit: 2 };
      // As in life: the connection has made its plan before the ledger grew.
      for (let run = 0; run < 8; run += 1) await idsOf(query);
      await crowd(organisationId);
      const read = await treasury.database.transaction(async (transaction) => {
        const before = await rowsRead(transaction);
        expect(await historyOf(transaction, query)).toHaveLength(kind ? 1 : 2);
        return (await rowsRead(transaction)) - before;
      });
      expect(read).toBeLessThan(20n);
    },
  );

  /** By this connection, since it last reported what it read. */
  const rowsRead = async (transaction: Statements): Promise<bigint> => {
    const [{ rows } = { rows: 0n }] = await transaction.query<{ rows: bigint }>(sql`
      SELECT seq_tup_read + idx_tup_fetch AS rows FROM pg_stat_xact_user_tables
      WHERE relname = 'ledger_movement'`);
    return rows;
  };

  const book = (organisationId: string, id: string): Promise<void> =>
    reserved(organisationId, sql`SELECT ${id}::uuid AS id`);

  /** Reservations that came after everything else. */
  const crowd = (organisationId: string): Promise<void> =>
    reserved(organisationId, sql`SELECT uuidv7() AS id FROM generate_series(1, 5000)`);

  /** With balances that the rules would refuse. */
  const reserved = (organisationId: string, ids: Sql): Promise<void> =>
    treasury.database.transaction(async (transaction) => {
      await transaction.execute(sql`SET LOCAL session_replication_role = replica`);
      await transaction.execute(sql`
        INSERT INTO ledger_movement (subject_id, kind, id, organisation_id, from_account, to_account, kobo, wallet_after)
        SELECT uuidv7(), 'reserve', id, ${organisationId}, 'wallet', 'reserved', 1, 0 FROM (${ids}) fresh`);
    });
});
