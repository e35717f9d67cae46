import { checkLedger, paymentIdOf } from '@gangan/billing';
import { sql } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { anOrganisation } from '@gangan/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { AdminCli, Outcome } from '../support/admin-cli.js';
import { AdminFixture } from '../support/admin-fixture.js';

interface Request {
  readonly approval: string;
  readonly booked: boolean;
  readonly state: string;
}

const unknownId = '0198f3c2-7b1e-7c2a-9d55-0a1b2c3d4e5f';

const fixture = AdminFixture.use();
let live: string;

/** The command line of an operator. */
const as = (actor: string, approvalAbove = '100'): AdminCli =>
  fixture.cli({ GANGAN_ACTOR: actor, APPROVAL_ABOVE_NAIRA: approvalAbove });

beforeEach(async () => {
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
  expect(result).toMatchObject({ booked: false, state: 'pending' });
  return result.approval;
}

const approve = (actor: string, id: string): Promise<Outcome> => as(actor).run('approve', id, '--yes');

describe('a booking above the limit', () => {
  it('moves no money until another person approves it, and then exactly its amount, once', async () => {
    const id = await request('ada', 'top-up', live, '100.01', '--note', 'Transfer', '--reference', 'INV-1');
    expect([await balance(), await booked()]).toEqual([0, 0]);
    expect(await pending()).toEqual([
      expect.objectContaining({ id, kind: 'top-up', naira: 100.01, note: 'Transfer', requested_by: 'ada' }),
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
        before: { approval: id, state: 'pending', requested_by: 'ada', balance: 0 },
        after: { state: 'approved', kind: 'top_up', naira: 500, subject, balance: 500 },
      }),
    ]);
  });

  it.each(['ada', 'Ada', ' ADA '])('cannot be approved by its requester as "%s"', async (actor) => {
    const id = await request('ada', 'top-up', live, '500');
    const refused = await approve(actor, id);
    expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(/another person/) });
    expect([await balance(), await booked(), (await pending()).length]).toEqual([0, 0, 1]);
  });

  it('cannot be approved by its requester or changed in the database', async () => {
    const id = await request('ada', 'top-up', live, '500');
    const refused = [
      sql`UPDATE approval SET state = 'approved', decided_by = 'Ada', decided_at = now() WHERE id = ${id}::uuid`,
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
      UPDATE approval SET state = 'pending', decided_by = NULL, decided_at = NULL WHERE id = ${id}::uuid`;
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
      INSERT INTO approval (id, organisation_id, kind, subject_id, kobo, requested_by, requested_at, expires_at)
      VALUES (${id}::uuid, ${live}::uuid, 'top_up', ${paymentIdOf(live, 'INV-4')}::uuid, 50000, 'ada',
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
    expect(other).toMatchObject({ code: 1, err: expect.stringMatching(/already requested with 500\.00/) });
    expect(await audit('top-up')).toHaveLength(1);
  });

  it('is refused if its reference was booked meanwhile', async () => {
    const id = await request('ada', 'top-up', live, '500', '--reference', 'INV-6');
    await as('ada', 'off').json('top-up', live, '500', '--reference', 'INV-6');
    expect(await approve('grace', id)).toMatchObject({ code: 1, err: expect.stringMatching(/reject/) });
    expect([await balance(), await booked(), (await pending()).length]).toEqual([500, 1, 1]);
  });

  it('deducts money only if the balance suffices at the approval', async () => {
    const id = await request('ada', 'adjust', live, '-100.01', '--note', 'Paid twice');
    expect((await approve('grace', id)).code).toBe(1);
    expect([await booked(), (await pending()).length]).toEqual([0, 1]);
    await as('ada', 'off').json('top-up', live, '200');
    await as('grace').json('approve', id, '--yes');
    expect(await balance()).toBe(99.99);
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
      err: expect.stringMatching(/500\.00.*requested by ada.*--yes/),
    });
    expect(await booked()).toBe(0);
  });
});

describe('the approval limit', () => {
  const topUp = (naira: string, limit?: string) => as('ada', limit).run('top-up', live, naira);

  it('is inclusive, and counts what was booked without approval in 24 hours', async () => {
    expect((await topUp('60')).code).toBe(0);
    expect((await topUp('40.01')).code).toBe(3);
    expect((await topUp('40')).code).toBe(0);
    expect((await topUp('0.01')).code).toBe(3);
    expect(await balance()).toBe(100);
  });

  it('counts deductions as additions', async () => {
    expect((await topUp('50')).code).toBe(0);
    const adjust = (naira: string) => as('ada').run('adjust', live, naira, '--note', 'x', '--yes');
    expect((await adjust('-50')).code).toBe(0);
    expect((await adjust('-0.01')).code).toBe(3);
    expect(await balance()).toBe(0);
  });

  it('does not count approved bookings, nor those of other organisations or of the day before', async () => {
    const id = await request('ada', 'top-up', live, '900');
    await as('grace').json('approve', id, '--yes');
    expect((await topUp('100')).code).toBe(0);
    expect((await topUp('1')).code).toBe(3);
    live = (await anOrganisation(fixture.database, { mode: 'live' })).id;
    await fixture.database.transaction(async (transaction) => {
      await transaction.execute(sql`SET LOCAL session_replication_role = replica`);
      await transaction.execute(sql`
        INSERT INTO ledger_movement (subject_id, kind, id, organisation_id, from_account, to_account, kobo, wallet_after,
          created_at)
        VALUES (${newId()}::uuid, 'top_up', ${newId()}::uuid, ${live}::uuid, 'funding', 'wallet', 10000, 10000,
          now() - interval '24 hours')`);
      await transaction.execute(sql`
        UPDATE ledger_account SET balance = 10000 WHERE organisation_id = ${live}::uuid AND kind = 'wallet'`);
    });
    expect((await topUp('100')).code).toBe(0);
    expect(await balance()).toBe(200);
  });

  it('holds for concurrent bookings', async () => {
    const codes = await Promise.all(Array.from({ length: 8 }, async () => (await topUp('30')).code));
    expect(codes.filter((code) => code === 0)).toHaveLength(3);
    expect(codes.filter((code) => code === 3)).toHaveLength(5);
    expect(await balance()).toBe(90);
  });

  it('is 1000000 by default; 0 means every booking, off means none, and anything else is refused', async () => {
    expect((await topUp('1000000.01', '')).code).toBe(3);
    expect((await topUp('1000000', '')).code).toBe(0);
    expect((await topUp('0.01', '0')).code).toBe(3);
    expect((await topUp('90071992547', 'off')).code).toBe(0);
    for (const invalid of ['-1', 'OFF', '1e6', '1,000', 'none'])
      expect(await topUp('1', invalid)).toMatchObject({
        code: 1,
        err: expect.stringMatching(/APPROVAL_ABOVE_NAIRA/),
      });
    const limits = (await audit('top-up')).map(
      ({ after }) => (after as Record<string, unknown>)['approval_above'],
    );
    expect(limits).toEqual(['off', undefined, 1_000_000, undefined]);
  });

  it('does not apply to test organisations', async () => {
    live = (await anOrganisation(fixture.database, { mode: 'test' })).id;
    expect((await topUp('5000000', '0')).code).toBe(0);
    expect(await balance()).toBe(5_000_000);
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
        const requests: string[] = [];
        for (const kobo of amounts) {
          const command = [kobo < 0 ? 'adjust' : 'top-up', live, (kobo / 100).toFixed(2), '--note', 'x'];
          const { out } = await as('ada', '0').run(...command, '--yes', '--json');
          requests.push((JSON.parse(out) as Request).approval);
        }
        const outcomes = await Promise.all(
          decisions.map(async ({ of, actor, command }) => {
            const index = of % amounts.length;
            const { code, err } = await as(actor, '0').run(command, requests[index] ?? '', '--yes');
            if (code !== 0) expect(err).toMatch(/was approved by|was rejected by|another person/);
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
