import { checkLedger, paymentIdOf } from '@gangan/billing';
import { sql } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { anOrganisation, runSql } from '@gangan/testing';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { AdminCli, Outcome } from '../support/admin-cli.js';
import { AdminFixture } from '../support/admin-fixture.js';

interface Request {
  readonly approval: string;
  readonly state: string;
}

const unknownId = '0198f3c2-7b1e-7c2a-9d55-0a1b2c3d4e5f';

const fixture = AdminFixture.use();
/** The URL of each operator. */
const logins = new Map<string, string>();
let live: string;

/** The command line of an operator. */
const as = (name: string): AdminCli =>
  fixture.cli({ DATABASE_URL: logins.get(name) ?? '', GANGAN_ACTOR: name });

const setLimit = (naira: number | null) =>
  fixture.database.execute(sql`UPDATE approval_setting SET limit_kobo = ${naira}::bigint * 100`);

beforeAll(async () => {
  for (const name of ['ada', 'grace', 'bob', 'eve']) logins.set(name, await fixture.addOperator(name));
  for (const name of ['bob', 'eve']) await as('ada').json('operators', 'confirm', name, '--yes');
});

beforeEach(async () => {
  await setLimit(100);
  await fixture.database.execute(sql`DELETE FROM unapproved_amount`);
  live = (await anOrganisation(fixture.database, { mode: 'live' })).id;
});

const balance = async (organisation = live): Promise<unknown> =>
  (await as('ada').json('balance', organisation))['balance'];

const booked = async (organisation = live): Promise<number> => {
  const rows = await fixture.database.query(
    sql`SELECT FROM ledger_movement WHERE organisation_id = ${organisation}::uuid`,
  );
  return rows.length;
};

const pending = async (...options: string[]) =>
  as('ada').json<Record<string, unknown>[]>('approvals', '--organisation', live, ...options);

const audit = (action: string) =>
  as('ada').json<Record<string, unknown>[]>('audit', '--organisation', live, '--action', action);

/** Must end with a request. */
async function request(actor: string, ...command: string[]): Promise<string> {
  const { code, out, err } = await as(actor).run(...command, '--yes', '--json');
  expect({ code, err }).toEqual({ code: 3, err: expect.stringMatching(/^(?:Database: .+\n)?$/) });
  const result = JSON.parse(out) as Request;
  expect(result).toMatchObject({ state: 'pending' });
  return result.approval;
}

const approve = (actor: string, id: string): Promise<Outcome> => as(actor).run('approve', id, '--yes');

describe('a booking above the limit', () => {
  it('moves no money until another person approves it, and then exactly its amount, once', async () => {
    const id = await request('ada', 'top-up', live, '100.01', '--note', 'Transfer', '--reference', 'INV-1');
    expect([await balance(), await booked()]).toEqual([0, 0]);
    expect(await pending()).toEqual([
      expect.objectContaining({
        id,
        action: 'top-up',
        naira: 100.01,
        note: 'Transfer',
        requested_by: 'ada',
        requested_login: expect.stringMatching(/_operator_ada$/),
      }),
    ]);

    expect(await as('grace').json('approve', id, '--yes')).toMatchObject({ booked: true, balance: 100.01 });
    expect([await balance(), await booked()]).toEqual([100.01, 1]);
    expect(await pending()).toEqual([]);
    expect(await pending('--all')).toEqual([
      expect.objectContaining({ id, state: 'approved', decided_by: 'grace' }),
    ]);

    expect(await approve('grace', id)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/was approved by grace/),
    });
    expect(await as('bob').run('reject', id)).toMatchObject({ code: 1 });
    const again = await as('ada').json('top-up', live, '100.01', '--reference', 'INV-1');
    expect(again).toMatchObject({ booked: false, balance: 100.01 });
    expect([await balance(), await booked()]).toEqual([100.01, 1]);
    expect(await checkLedger(fixture.database)).toMatchObject({ clean: true, findings: [], warnings: [] });
  });

  it('is in the audit log twice: requested and approved', async () => {
    const id = await request('ada', 'top-up', live, '500', '--reference', 'INV-2');
    await as('grace').json('approve', id, '--yes');
    const subject = paymentIdOf(live, 'INV-2');
    expect(await audit('top-up')).toEqual([
      expect.objectContaining({
        actor: 'ada',
        after: { approval: id, state: 'pending', naira: 500, subject },
      }),
    ]);
    expect(await audit('approve')).toEqual([
      expect.objectContaining({
        actor: 'grace',
        before: {
          ...{ approval: id, state: 'pending', requested_by: 'ada', balance: 0 },
          requested_login: expect.stringMatching(/_operator_ada$/),
        },
        after: { state: 'approved', action: 'top_up', naira: 500, subject, balance: 500 },
      }),
    ]);
  });

  it.each(['grace', '\u200bada', 'ada'])(
    'cannot be approved by the login of its requester as "%s"',
    async (actor) => {
      const id = await request('ada', 'top-up', live, '500');
      const url = logins.get('ada') ?? '';
      const refused = await fixture
        .cli({ DATABASE_URL: url, GANGAN_ACTOR: actor })
        .run('approve', id, '--yes');
      expect(refused.code).not.toBe(0);
      expect(refused.err).toMatch(/another operator must approve|invisible characters/);
      expect([await balance(), await booked(), (await pending()).length]).toEqual([0, 0, 1]);
    },
  );

  it('cannot be approved by a login that is no operator, the owner of the tables, or a removed operator', async () => {
    const id = await request('ada', 'top-up', live, '500');
    for (const cli of [fixture.cli(), fixture.owner()])
      expect(await cli.run('approve', id, '--yes')).toMatchObject({
        code: 1,
        err: expect.stringMatching(/Only an operator can approve/),
      });
    logins.set('zoe', await fixture.addOperator('zoe'));
    expect(await approve('zoe', id)).toMatchObject({ code: 1, err: expect.stringMatching(/not confirmed/) });
    await as('bob').json('operators', 'confirm', 'zoe', '--yes');
    await fixture.owner().json('operators', 'remove', 'zoe', '--yes');
    expect((await approve('zoe', id)).code).toBe(1);
    expect(await booked()).toBe(0);
  });

  it('cannot be requested by a login that several people share, or that is not confirmed', async () => {
    logins.set('ivy', await fixture.addOperator('ivy'));
    for (const cli of [fixture.cli(), fixture.owner(), as('ivy')])
      expect(await cli.run('top-up', live, '500')).toMatchObject({
        code: 1,
        err: expect.stringMatching(/only an operator can request it.*connect with your own login/),
      });
    expect([await booked(), await pending()]).toEqual([0, []]);
    await fixture.owner().json('operators', 'remove', 'ivy', '--yes');
  });

  it('cannot be approved by another login of the same person', async () => {
    const person = newId();
    const link = (owner: string | null) =>
      fixture.database.execute(
        sql`UPDATE operator_login SET person_id = ${owner}::uuid WHERE name IN ('ada', 'grace')`,
      );
    await link(person);
    const id = await request('ada', 'top-up', live, '500');
    expect(await approve('grace', id)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/another operator/),
    });
    await link(null);
    expect((await approve('grace', id)).code).toBe(0);
  });

  it('cannot be approved by its requester or changed in the database', async () => {
    const id = await request('ada', 'top-up', live, '500');
    const refused = [
      sql`UPDATE approval SET state = 'approved', decided_by = 'grace', decided_login = requested_login, decided_at = now()
          WHERE id = ${id}::uuid`,
      sql`UPDATE approval SET kobo = kobo + 1 WHERE id = ${id}::uuid`,
      sql`UPDATE approval SET state = 'rejected', decided_by = 'x', decided_at = now(), requested_by = 'x'
          WHERE id = ${id}::uuid`,
      sql`DELETE FROM approval WHERE id = ${id}::uuid`,
      sql`TRUNCATE approval`,
    ];
    for (const change of refused)
      await expect(fixture.database.execute(change)).rejects.toThrow(/refused|violates/);
    await as('grace').json('reject', id);
    const reopened = sql`
      UPDATE approval SET state = 'pending', decided_by = NULL, decided_login = NULL, decided_at = NULL
      WHERE id = ${id}::uuid`;
    await expect(fixture.database.execute(reopened)).rejects.toThrow(/decided once/);
  });

  it('is rejected by another person, or withdrawn; both are in the audit log', async () => {
    const first = await request('ada', 'top-up', live, '500', '--reference', 'INV-3');
    await as('grace').json('reject', first);
    expect(await approve('grace', first)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/was rejected by grace/),
    });
    const second = await request('ada', 'top-up', live, '500', '--reference', 'INV-3');
    expect(second).not.toBe(first);
    await as('ada').json('reject', second);
    expect((await audit('reject')).map(({ actor }) => actor)).toEqual(['ada', 'grace']);
    expect([await balance(), await booked()]).toEqual([0, 0]);
  });

  it('expires after seven days', async () => {
    const id = newId();
    await fixture.database.execute(sql`
      INSERT INTO approval (id, organisation_id, action, subject, kobo, change, requested_by, requested_login, requested_at,
        expires_at)
      VALUES (${id}::uuid, ${live}::uuid, 'top_up', ${paymentIdOf(live, 'INV-4')}, 50000, '{}', 'ada', 'ada',
        now() - interval '7 days', now())`);
    expect(await pending()).toEqual([]);
    expect(await pending('--all')).toEqual([expect.objectContaining({ id, state: 'expired' })]);
    expect(await approve('grace', id)).toMatchObject({ code: 1, err: expect.stringMatching(/expired at/) });
    expect(await as('grace').run('reject', id)).toMatchObject({ code: 1 });
    const again = await request('ada', 'top-up', live, '500', '--reference', 'INV-4');
    expect(again).not.toBe(id);
    const [fresh] = await pending();
    const validMs = Date.parse(String(fresh?.['expires'])) - Date.parse(String(fresh?.['requested']));
    expect(validMs).toBe(7 * 24 * 3_600_000);
    await as('grace').json('approve', again, '--yes');
    expect([await balance(), await booked()]).toEqual([500, 1]);
  });

  it('is requested once per reference, with one amount', async () => {
    const id = await request('ada', 'top-up', live, '500', '--reference', 'INV-5');
    expect(await request('bob', 'top-up', live, '500', '--reference', 'INV-5')).toBe(id);
    const other = await as('ada').run('top-up', live, '501', '--reference', 'INV-5');
    expect(other).toMatchObject({
      code: 1,
      err: expect.stringMatching(/already requested with other values/),
    });
    expect(await audit('top-up')).toHaveLength(1);
  });

  it('is refused if its reference was booked meanwhile', async () => {
    const id = await request('ada', 'top-up', live, '500', '--reference', 'INV-6');
    await setLimit(null);
    await as('ada').json('top-up', live, '500', '--reference', 'INV-6');
    expect(await approve('grace', id)).toMatchObject({ code: 1, err: expect.stringMatching(/reject/) });
    expect([await balance(), await booked(), (await pending()).length]).toEqual([500, 1, 1]);
  });

  it('deducts money only if the balance suffices at the approval', async () => {
    const id = await request('ada', 'adjust', live, '-100.01', '--note', 'Paid twice');
    expect((await approve('grace', id)).code).toBe(1);
    expect([await booked(), (await pending()).length]).toEqual([0, 1]);
    await setLimit(null);
    await as('ada').json('top-up', live, '200');
    await as('grace').json('approve', id, '--yes');
    expect(await balance()).toBe(99.99);
  });

  it('shows the control characters of a note that was not given on the command line', async () => {
    const note = String.raw`x\x1b[2K\radd 5 naira`;
    await runSql(
      logins.get('ada') ?? '',
      `SELECT book_money('top_up', '${live}', uuidv7(), 50000, E'${note}', NULL, 'ada')`,
    );
    const [{ id } = {}] = await pending();
    const asked = await as('grace').run('approve', String(id));
    expect(asked.err).toContain(String.raw`("x\u{1b}[2K\u{d}add 5 naira")`);
    expect((await as('ada').run('approvals', '--organisation', live)).out).not.toContain('\u001b');
  });

  it('must exist to be approved', async () => {
    for (const id of [unknownId, 'x', ''])
      for (const command of ['approve', 'reject'])
        expect(await as('grace').run(command, id, '--yes')).toMatchObject({ code: 1, out: '' });
  });

  it('needs the confirmation of the operator', async () => {
    const id = await request('ada', 'top-up', live, '500');
    const unconfirmed = await as('grace').run('approve', id);
    expect(unconfirmed).toMatchObject({
      code: 1,
      err: expect.stringMatching(/request of ada .*add 500\.00 naira.*--yes/),
    });
    expect(await booked()).toBe(0);
  });
});

describe('the approval limit', () => {
  const topUp = (naira: string, actor = 'ada', organisation = live) =>
    as(actor).run('top-up', organisation, naira);

  it('is inclusive, and counts what was booked without approval in 24 hours', async () => {
    expect((await topUp('60')).code).toBe(0);
    expect((await topUp('40.01')).code).toBe(3);
    expect((await topUp('40')).code).toBe(0);
    expect((await topUp('0.01')).code).toBe(3);
    expect(await balance()).toBe(100);
    await fixture.database.execute(
      sql`UPDATE unapproved_amount SET created_at = now() - interval '24 hours'`,
    );
    expect((await topUp('100')).code).toBe(0);
  });

  it('counts per operator over all organisations, and per account over all operators', async () => {
    const other = (await anOrganisation(fixture.database, { mode: 'live' })).id;
    expect((await topUp('60')).code).toBe(0);
    expect((await topUp('41', 'ada', other)).code).toBe(3);
    expect((await topUp('41', 'grace')).code).toBe(3);
    expect((await topUp('40', 'grace')).code).toBe(0);
    expect((await topUp('60', 'grace', other)).code).toBe(0);
  });

  it('counts per person over all logins of that person', async () => {
    const other = (await anOrganisation(fixture.database, { mode: 'live' })).id;
    const link = (person: string | null) =>
      fixture.database.execute(
        sql`UPDATE operator_login SET person_id = ${person}::uuid WHERE name IN ('ada', 'grace')`,
      );
    await link(newId());
    expect((await topUp('60')).code).toBe(0);
    expect((await topUp('41', 'grace', other)).code).toBe(3);
    await link(null);
  });

  it.each(['REPEATABLE READ', 'SERIALIZABLE'])(
    'cannot be avoided with an old snapshot of a %s transaction',
    async (level) => {
      const book = `SELECT book_money('top_up', '${live}', uuidv7(), 1, 'x', NULL, 'ada')`;
      await expect(
        runSql(logins.get('ada') ?? '', `BEGIN ISOLATION LEVEL ${level}; ${book}; COMMIT`),
      ).rejects.toThrow(/isolation level READ COMMITTED/);
    },
  );

  it('counts the time of a booking, not that of the beginning of its transaction', async () => {
    const [row] = await runSql<{ isLate: boolean }>(
      logins.get('ada') ?? '',
      `BEGIN; SELECT pg_sleep(0.05); SELECT book_money('top_up', '${live}', uuidv7(), 1, 'x', NULL, 'ada');
       SELECT created_at >= now() + interval '40 milliseconds' AS "isLate" FROM unapproved_amount`,
    );
    expect(row?.isLate).toBe(true);
  });

  it('counts deductions as additions', async () => {
    expect((await topUp('50')).code).toBe(0);
    const adjust = (naira: string) => as('ada').run('adjust', live, naira, '--note', 'x', '--yes');
    expect((await adjust('-50')).code).toBe(0);
    expect((await adjust('-0.01')).code).toBe(3);
    expect(await balance()).toBe(0);
  });

  it('does not count approved bookings, and does not apply to test organisations', async () => {
    await as('grace').json('approve', await request('ada', 'top-up', live, '900'), '--yes');
    expect((await topUp('100')).code).toBe(0);
    expect((await topUp('1')).code).toBe(3);
    live = (await anOrganisation(fixture.database, { mode: 'test' })).id;
    expect((await topUp('5000000')).code).toBe(0);
    expect(await balance()).toBe(5_000_000);
  });

  it('holds for concurrent bookings', async () => {
    const codes = await Promise.all(Array.from({ length: 8 }, async () => (await topUp('30')).code));
    expect(codes.filter((code) => code === 0)).toHaveLength(3);
    expect(codes.filter((code) => code === 3)).toHaveLength(5);
    expect(await balance()).toBe(90);
  });

  it('is changed only with an approval', async () => {
    expect(await as('ada').json('approvals', 'limit')).toEqual({ approval_above: 100 });
    const id = await request('ada', 'approvals', 'limit', 'off');
    expect(await as('ada').json('approvals', 'limit')).toEqual({ approval_above: 100 });
    const [listed] = await as('ada').json<Record<string, unknown>[]>('approvals');
    expect(listed?.['change']).toBe(
      'allow any amount in 24 hours without an approval, instead of 100.00 naira per operator and account',
    );
    await as('grace').json('approve', id, '--yes');
    expect((await topUp('90071992547')).code).toBe(0);
    await as('grace').json('approve', await request('ada', 'approvals', 'limit', '0'), '--yes');
    expect((await topUp('0.01')).code).toBe(3);
  });

  it('cannot be avoided with the functions and tables that an operator may use', async () => {
    const url = logins.get('ada') ?? '';
    const price = "'sms'::priced_service, '', '2348', 0";
    for (const statement of [
      `SELECT FROM top_up_money(ARRAY[uuidv7()], ARRAY['${live}'::uuid], ARRAY[1::bigint], ARRAY['x'])`,
      `SELECT FROM adjust_money(uuidv7(), '${live}', 1, 'x')`,
      `SELECT apply_change('top_up', '${live}', uuidv7()::text, 1, 'x', '{}')`,
      `SELECT change_or_request(false, 'top_up', '${live}', uuidv7()::text, 1, 'x', '{}', 'ada', 'top-up', 'x')`,
      `SELECT add_operator('mallory', current_user, 'ada')`,
      `UPDATE approval_setting SET limit_kobo = NULL`,
      `UPDATE organisation SET daily_spend_kobo = 0`,
      `UPDATE airtime_purchase SET resolution = 'failed'`,
      `DELETE FROM unapproved_amount`,
      `UPDATE operator_login SET confirmed_at = now()`,
      `INSERT INTO price (service, category, prefix, kobo) VALUES (${price})`,
      `SET SESSION AUTHORIZATION "${new URL(logins.get('grace') ?? '').username}"`,
    ])
      await expect(runSql(url, statement)).rejects.toMatchObject({ code: '42501' });
    const opened = `INSERT INTO organisation (id, account_id, mode, default_sender)
        SELECT uuidv7(), account_id, 'test', 'x' FROM organisation WHERE id = '${live}';
      INSERT INTO ledger_account (id, organisation_id, kind, balance) SELECT uuidv7(), id, 'wallet', 1
        FROM organisation WHERE default_sender = 'x'`;
    await expect(runSql(url, opened)).rejects.toMatchObject({ constraint: 'ledger_account_empty' });
  });
});

/** Enough for every deduction. */
const initialKobo = 40_000_000;

/** Kobo to add or to take, and who decides what about which of them, all at once. */
const scripts = fc.record({
  amounts: fc.array(
    fc.integer({ min: -10_000_000, max: 10_000_000 }).filter((kobo) => kobo !== 0),
    { minLength: 1, maxLength: 4 },
  ),
  decisions: fc.array(
    fc.record({
      of: fc.nat(3),
      actor: fc.constantFrom('ada', 'grace', 'bob', 'eve'),
      command: fc.constantFrom('approve', 'approve', 'approve', 'reject'),
    }),
    { minLength: 4, maxLength: 16 },
  ),
});

describe('concurrent decisions', () => {
  it('have one winner per request, and move exactly what was approved', async () => {
    await fc.assert(
      fc.asyncProperty(scripts, async ({ amounts, decisions }) => {
        live = (await anOrganisation(fixture.database, { mode: 'live', balanceKobo: BigInt(initialKobo) }))
          .id;
        await setLimit(0);
        const requests: string[] = [];
        for (const kobo of amounts) {
          const command = [kobo < 0 ? 'adjust' : 'top-up', live, (kobo / 100).toFixed(2), '--note', 'x'];
          const { out } = await as('ada').run(...command, '--yes', '--json');
          requests.push((JSON.parse(out) as Request).approval);
        }
        const outcomes = await Promise.all(
          decisions.map(async ({ of, actor, command }) => {
            const index = of % amounts.length;
            const { code, err } = await as(actor).run(command, requests[index] ?? '', '--yes');
            if (code !== 0) expect(err).toMatch(/was approved by|was rejected by|another operator/);
            return { index, actor, command, won: code === 0 };
          }),
        );
        const won = outcomes.filter((outcome) => outcome.won);
        const approved = won.filter(({ command }) => command === 'approve');
        expect(new Set(won.map(({ index }) => index)).size).toBe(won.length);
        expect(approved.map(({ actor }) => actor)).not.toContain('ada');

        const total = approved.reduce((sum, { index }) => sum + (amounts[index] ?? 0), initialKobo);
        expect(await balance()).toBe(Number((total / 100).toFixed(2)));
        expect(await booked()).toBe(1 + approved.length);
        const states = await pending('--all');
        for (const [index, id] of requests.entries()) {
          const winner = won.find((outcome) => outcome.index === index);
          expect(states.find((row) => row['id'] === id)).toMatchObject(
            winner ? { decided_by: winner.actor, naira: (amounts[index] ?? 0) / 100 } : { state: 'pending' },
          );
        }
        expect(await audit('approve')).toHaveLength(approved.length);
        expect(await audit('reject')).toHaveLength(won.length - approved.length);
        // The first money of these organisations is not in the audit log.
        const { findings, warnings } = await checkLedger(fixture.database);
        expect([...findings, ...warnings].filter(({ rule }) => rule !== 'audited')).toEqual([]);
      }),
      // A failure that depends on timing cannot be shrunk.
      { numRuns: 12, endOnFailure: true },
    );
  });
});
