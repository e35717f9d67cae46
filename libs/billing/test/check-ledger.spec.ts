import { type Sql, sql } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { charge, checkLedger, post, refund, reserve, type Subject, voidReservation } from '../src/index.js';
import { adjust } from './support/bookings.js';
import { Treasury } from './support/treasury.js';

describe('a check of the ledger', () => {
  let treasury: Treasury;
  let organisation: string;
  beforeAll(async () => {
    treasury = await Treasury.open(1);
  });
  beforeEach(async () => {
    organisation = await treasury.organisation(1_000n, 'live');
    await charge(treasury.database, 'message', [
      { subjectId: newId(), organisationId: organisation, kobo: 30n },
    ]);
  });
  afterEach(() =>
    plant(
      sql`DELETE FROM ledger_movement`,
      sql`DELETE FROM ledger_account`,
      sql`DELETE FROM organisation`,
      sql`DELETE FROM account`,
    ),
  );
  afterAll(() => treasury.close());

  /** Does what the rules of the database forbid. */
  const plant = async (...statements: Sql[]): Promise<void> => {
    await treasury.database.execute(sql`SET session_replication_role = replica`);
    for (const statement of statements) await treasury.database.execute(statement);
    await treasury.database.execute(sql`RESET session_replication_role`);
  };
  const accountOf = (kind: string): Sql =>
    sql`(SELECT id FROM ledger_account WHERE organisation_id = ${organisation} AND kind::text = ${kind})`;
  /** Without an effect on a stored balance, unless it names accounts. */
  const movement = (kind: string, subject = newId(), from = 'loss', to = 'revenue'): Sql => sql`
    INSERT INTO ledger_movement (subject_id, kind, id, organisation_id, from_account, to_account, kobo)
    VALUES (${subject}, ${kind}, ${newId()}, ${organisation}, ${from}, ${to}, 5)`;
  const subject = () => ({ subjectId: newId(), organisationId: organisation });
  const broken = async (): Promise<string[]> => {
    // Slices of two rows: what belongs together is in different slices.
    const { clean, findings, warnings } = await checkLedger(treasury.database, { sliceRows: 2 });
    expect(clean).toBe(findings.length === 0);
    for (const { id, message } of [...findings, ...warnings]) expect(message).toContain(id);
    return [
      ...new Set(findings.map(({ rule }) => rule)),
      ...new Set(warnings.map(({ rule }) => `warning: ${rule}`)),
    ];
  };

  it('finds nothing in a clean ledger, and returns its totals', async () => {
    const purchases = [10n, 20n, 40n].map((kobo) => ({
      subjectId: newId(),
      organisationId: organisation,
      kobo,
    }));
    await reserve(treasury.database, 'airtime', purchases);
    await post(treasury.database, 'airtime', purchases.slice(0, 1));
    await voidReservation(treasury.database, 'airtime', purchases.slice(1, 2));
    expect(await checkLedger(treasury.database)).toEqual({
      clean: true,
      findings: [],
      warnings: [],
      totals: [
        { kind: 'top_up', transactions: 1n, kobo: 1_000n },
        { kind: 'charge', transactions: 1n, kobo: 30n },
        { kind: 'reserve', transactions: 3n, kobo: 70n },
        { kind: 'post', transactions: 1n, kobo: 10n },
        { kind: 'void', transactions: 1n, kobo: 20n },
      ],
    });
  });

  it('checks play money, but leaves it out of the totals', async () => {
    const player = await treasury.organisation(5_000n, 'test');
    const { totals } = await checkLedger(treasury.database);
    expect(totals).toEqual([
      { kind: 'top_up', transactions: 1n, kobo: 1_000n },
      { kind: 'charge', transactions: 1n, kobo: 30n },
    ]);
    await treasury.database.execute(
      sql`UPDATE ledger_account SET balance = balance + 1 WHERE organisation_id = ${player} AND kind = 'wallet'`,
    );
    expect(await broken()).toEqual(['balance']);
  });

  it('finds a balance that is not the sum of its entries', async () => {
    await treasury.database.execute(
      sql`UPDATE ledger_account SET balance = balance + 1 WHERE id = ${accountOf('wallet')}`,
    );
    expect(await broken()).toEqual(['balance']);
  });

  it('finds a movement between other accounts than those of its kind', async () => {
    await treasury.database.execute(movement('charge'));
    expect(await broken()).toEqual(['accounts_of_kind', 'warning: chain']);
  });

  it('finds a subject that was charged twice, or posted and voided', async () => {
    await treasury.database.execute(sql`ALTER TABLE ledger_movement DROP CONSTRAINT ledger_movement_pkey`);
    await treasury.database.execute(sql`DROP INDEX ledger_movement_settled_key`);
    const subject = newId();
    await plant(movement('loss', subject), movement('loss', subject));
    await plant(movement('reserve', subject), movement('post', subject), movement('void', subject));
    expect(await broken()).toEqual(['accounts_of_kind', 'once', 'settled_once', 'warning: chain']);
    await plant(sql`DELETE FROM ledger_movement`);
    await treasury.database.execute(sql`ALTER TABLE ledger_movement ADD PRIMARY KEY (subject_id, kind)`);
  });

  it('finds a settlement without a reservation, and a reserved balance without reservations', async () => {
    await treasury.database.execute(movement('loss'));
    await treasury.database.execute(
      sql`UPDATE ledger_account SET balance = 5 WHERE id = ${accountOf('reserved')}`,
    );
    expect(await broken()).toEqual(['balance', 'reserved_first', 'reserved_sum']);
  });

  it('warns about a broken chain of balances, which cannot be repaired', async () => {
    await plant(sql`UPDATE ledger_movement SET wallet_after = wallet_after + 1 WHERE kind = 'top_up'`);
    expect(await broken()).toEqual(['warning: chain']);
  });

  it('is clean after the repair of a balance, but not after an adjustment', async () => {
    const spend = () => charge(treasury.database, 'message', [{ ...subject(), kobo: 1n }]);
    await treasury.database.execute(
      sql`UPDATE ledger_account SET balance = balance + 7 WHERE id = ${accountOf('wallet')}`,
    );
    await spend();
    await adjust(treasury.database, { ...subject(), kobo: -7n });
    expect(await broken()).toEqual(['balance', 'warning: chain']);
    await treasury.database.transaction(async (transaction) => {
      await transaction.execute(
        sql`SELECT balance FROM ledger_account WHERE id = ${accountOf('wallet')} FOR UPDATE`,
      );
      await transaction.execute(sql`
        UPDATE ledger_account
        SET balance = (
          SELECT coalesce(sum(CASE to_account WHEN ledger_account.kind THEN kobo ELSE -kobo END), 0)
          FROM ledger_movement moved
          WHERE moved.organisation_id = ledger_account.organisation_id
            AND ledger_account.kind IN (from_account, to_account))
        WHERE id = ${accountOf('wallet')}`);
    });
    await spend();
    expect(await broken()).toEqual(['warning: chain']);
  });

  it('finds an organisation without accounts', async () => {
    const id = newId();
    await treasury.database.execute(sql`INSERT INTO account (id, name) VALUES (${id}, 'Bare')`);
    await treasury.database.execute(sql`
      INSERT INTO organisation (id, account_id, mode, default_sender) VALUES (${id}, ${id}, 'test', 'Bare')`);
    expect(await broken()).toEqual(['accounts']);
  });

  it('raises no false alarm while money moves between its slices', async () => {
    const last = await treasury.organisation(1_000n, 'live');
    await reserve(treasury.database, 'airtime', [{ ...subject(), kobo: 10n }]);
    let moves = 0;
    let purchase = { subjectId: newId(), organisationId: organisation, kobo: 1n };
    /** One of each kind of movement, in both organisations. */
    const onProgress = async (): Promise<void> => {
      const [open] = await treasury.database.query<{ transactions: number }>(sql`
        SELECT count(*)::int AS transactions FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL`);
      expect(open).toEqual({ transactions: 0 });
      if (moves >= 20) return;
      moves += 1;
      for (const organisationId of [organisation, last]) {
        const item = { subjectId: newId(), organisationId, kobo: 1n };
        await charge(treasury.database, 'message', [item]);
        await refund(treasury.database, [{ ...item, chargeId: item.subjectId }]);
      }
      await (moves % 2 === 0 ? post : voidReservation)(treasury.database, 'airtime', [purchase]);
      purchase = { subjectId: newId(), organisationId: organisation, kobo: 1n };
      await reserve(treasury.database, 'airtime', [purchase]);
    };
    const report = await checkLedger(treasury.database, { sliceRows: 2, onProgress });
    expect(report).toMatchObject({ clean: true, findings: [], warnings: [] });
    expect(moves).toBe(20);
    // A snapshot of the beginning has one charge.
    const charges = report.totals.find(({ kind }) => kind === 'charge');
    expect(charges?.transactions).toBeGreaterThan(1n);
    await expect(checkLedger(treasury.database)).resolves.toMatchObject({ clean: true, warnings: [] });
  });

  it('finds faults in the last of many slices, and reports its progress', async () => {
    const items = Array.from({ length: 25 }, () => ({ ...subject(), kobo: 1n }));
    await charge(treasury.database, 'message', items);
    await treasury.database.execute(sql`ANALYZE`);
    await plant(sql`
      UPDATE ledger_movement SET kobo = kobo + 1, wallet_after = wallet_after - 1
      WHERE id = (SELECT max(id::text)::uuid FROM ledger_movement)`);
    const seen: number[] = [];
    const { findings } = await checkLedger(treasury.database, {
      sliceRows: 10,
      onProgress: ({ rows, estimatedRows }) => void seen.push(rows / estimatedRows),
    });
    expect(findings.map(({ rule }) => rule)).toEqual(['balance']);
    expect(seen).toHaveLength(8);
    expect(seen).toEqual(seen.toSorted((one, other) => one - other));
    expect(seen.at(-1)).toBe(1);
  });

  it('is backed by a constraint that refuses a movement with a wrong balance', async () => {
    const charge = treasury.database.execute(movement('charge', newId(), 'wallet'));
    await expect(charge).rejects.toMatchObject({ constraint: 'ledger_movement_balances' });
  });

  describe('of what operators booked', () => {
    const addEntry = (payment: Subject, after: object, { action = 'top-up', before = {} } = {}) =>
      treasury.database.execute(sql`
        INSERT INTO audit_log (id, actor, action, organisation_id, target, before, after) VALUES (${newId()}, 'ada',
          ${action}, ${payment.organisationId}, 'acme/live', ${JSON.stringify(before)}::jsonb,
          ${JSON.stringify({ subject: payment.subjectId, ...after })}::jsonb)`);
    /** Approved by another operator. */
    const addApproval = async (
      payment: Subject,
      kobo: bigint,
      { action = 'top_up', state = 'approved' } = {},
    ) => {
      const id = newId();
      const decided = state === 'approved' ? sql`'grace', 'grace', now()` : sql`NULL, NULL, NULL`;
      await treasury.database.execute(sql`
        INSERT INTO approval (id, organisation_id, action, subject, kobo, note, state, requested_by, requested_login,
          expires_at, decided_by, decided_login, decided_at)
        VALUES (${id}, ${payment.organisationId}, ${action}, ${payment.subjectId}, ${kobo}, 'x', ${state}::approval_state,
          'ada', 'ada', now() + interval '1 day', ${decided})`);
      return { action: 'approve', before: { approval: id } };
    };
    /** Books as the owner of the tables can: without an entry in the audit log. */
    const book = async (kobo: bigint, organisationId = organisation) => {
      const subjectId = newId();
      await treasury.database.query(
        kobo < 0n
          ? sql`SELECT FROM adjust_money(${subjectId}::uuid, ${organisationId}::uuid, ${kobo}::bigint, 'x')`
          : sql`SELECT FROM top_up_money(ARRAY[${subjectId}::uuid], ARRAY[${organisationId}::uuid],
              ARRAY[${kobo}::bigint], ARRAY['x'])`,
      );
      return { subjectId, organisationId };
    };
    // Approvals keep their organisation.
    afterEach(() => plant(sql`DELETE FROM approval`));

    it('finds a booking that is not in the audit log with its amount, also one of play money', async () => {
      const payment = await book(250n);
      for (const after of [{}, { naira: 2.51 }, { naira: -2.5 }, { naira: 2.5, subject: newId() }]) {
        await addEntry(payment, after);
        expect(await broken()).toEqual(['audited']);
      }
      await addEntry(payment, { naira: 2.5 });
      expect(await broken()).toEqual([]);
      const deduction = await book(-150n);
      expect(await broken()).toEqual(['audited']);
      await addEntry(deduction, { naira: -1.5 }, { action: 'adjust' });
      expect(await broken()).toEqual([]);
      await book(1n, await treasury.organisation(1n, 'test'));
      expect(await broken()).toEqual(['audited']);
    });

    it('finds one whose entry names no approval of it', async () => {
      const [payment, other] = [await book(250n), await book(250n)];
      await addEntry(other, { naira: 2.5 });
      const entry = { naira: 2.5, state: 'approved' };
      await addEntry(payment, entry);
      await addEntry(
        payment,
        { ...entry, state: 'pending' },
        await addApproval(payment, 250n, { state: 'pending' }),
      );
      await addEntry(payment, entry, await addApproval(payment, 251n));
      await addEntry(payment, entry, await addApproval(payment, 250n, { action: 'adjustment' }));
      await addEntry(payment, entry, await addApproval(other, 250n));
      expect(await broken()).toEqual(['audited']);
      await addEntry(payment, entry, await addApproval(payment, 250n));
      expect(await broken()).toEqual([]);
    });

    it('leaves out what is older than the entries that were pruned', async () => {
      const payment = await book(250n);
      const prune = (before: string, of: Partial<Subject> = {}) =>
        addEntry({ ...payment, ...of }, { before }, { action: 'audit prune' });
      await prune('2020-01-01T00:00:00Z');
      await prune('9999-01-01T00:00:00Z', { organisationId: newId() });
      expect(await broken()).toEqual(['audited']);
      await prune('9999-01-01T00:00:00Z');
      expect(await broken()).toEqual([]);
    });

    it('finds rows that were written by hand as a function would', async () => {
      await treasury.database.execute(sql`
        WITH wallet AS (
          UPDATE ledger_account SET balance = balance + 900 WHERE id = ${accountOf('wallet')} RETURNING balance)
        INSERT INTO ledger_movement (subject_id, kind, id, organisation_id, from_account, to_account, kobo, wallet_after)
        SELECT uuidv7(), 'top_up', uuidv7(), ${organisation}::uuid, 'funding', 'wallet', 900, balance FROM wallet`);
      expect(await broken()).toEqual(['audited']);
    });
  });
});
