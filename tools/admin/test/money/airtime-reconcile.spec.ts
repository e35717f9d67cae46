import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bookLoss, reserve, voidReservation } from '@gangan/billing';
import { createAccount, sql } from '@gangan/database';
import { firstIdAt, newId } from '@gangan/protocol';
import { submissionReference, vtpassReference } from '@gangan/providers';
import { masterSealer } from '@gangan/sealing';
import { aPayment, FakeAirtime, fakeReloadly } from '@gangan/testing';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { dataKey } from '../support/admin-cli.js';
import { AdminFixture } from '../support/admin-fixture.js';

interface Planted {
  readonly state: string;
  readonly provider?: string | null;
  readonly naira?: number;
  readonly at?: string;
  readonly theirs?: string;
}

interface Result {
  readonly matched: number;
  readonly resolved?: number;
  readonly kinds: readonly { kind: string; count: number; there: string; here: string }[];
  readonly differences: readonly Readonly<Record<string, string | number>>[];
}

const noon = '2026-11-10T12:00:00Z';
const period = ['--from', '2026-11-10', '--to', '2026-11-11'];
const secretsOf = (...names: string[]) => names.flatMap((name) => ['--secret', `${name}=A_SECRET`]);

describe('airtime reconcile', () => {
  const fixture = AdminFixture.use();
  const admin = fixture.cli({ A_SECRET: 'a-long-secret-value', GANGAN_ACTOR: 'ada' });
  let folder: string;
  let organisationId: string;
  let reloadly: FakeAirtime;
  let transactions: object[] = [];

  beforeAll(async () => {
    folder = await fixture.folder();
    const account = { name: 'Acme', sender: 'Acme' };
    const { organisations } = await createAccount(fixture.database, masterSealer([dataKey]), account);
    organisationId = organisations.find(({ mode }) => mode === 'live')?.id ?? '';
    const keys = ['api_key', 'public_key', 'secret_key'];
    await admin.json('providers', 'add', 'vtpass', '--kind', 'vtpass', ...secretsOf(...keys));
    const secret = 'a-long-secret-value';
    reloadly = await FakeAirtime.start(fakeReloadly(secret, secret, () => transactions));
    fixture.atEnd(() => reloadly.stop());
    await admin.json(
      ...['providers', 'add', 'reloadly', '--kind', 'reloadly', ...secretsOf('client_id', 'client_secret')],
      ...['--set', 'allowPrivate=true', '--set', `url=${reloadly.url}`],
      ...['--set', `tokenUrl=${reloadly.url}/oauth/token`],
    );
    const at = ['--kind', 'africastalking', ...secretsOf('api_key'), '--set', 'username=acme'];
    await admin.json('providers', 'add', 'talking', ...at);
  });
  beforeEach(async () => {
    transactions = [];
    await fixture.database.execute(sql`TRUNCATE airtime_purchase CASCADE`);
  });

  /** Returns our reference. */
  async function plant({
    state,
    provider = 'vtpass',
    naira = 100,
    at = noon,
    theirs,
  }: Planted): Promise<string> {
    const id = `${firstIdAt(new Date(at)).slice(0, 18)}${newId().slice(18)}`;
    const reference =
      provider === 'reloadly' ? submissionReference(id, new Date(at)) : vtpassReference(id, new Date(at));
    const isDue = ['pending', 'submitting', 'sent'].includes(state);
    await fixture.database.execute(sql`
      INSERT INTO airtime_purchase (id, organisation_id, network, recipient, recipient_given, amount_kobo,
        balance_before_kobo, state, refunded, submitted_at, provider, request_reference, provider_reference, request_id,
        next_attempt_at, created_at)
      VALUES (${id}, ${organisationId}, 'MTN', '+2348031234567', '08031234567', ${naira * 100}, 100000000,
        ${state}::airtime_state, ${state === 'failed' || state === 'duplicate'}, ${at}::timestamptz, ${provider}, ${reference},
        ${theirs ?? null}, 'r', CASE WHEN ${isDue} THEN now() + interval '1 hour' END, ${at}::timestamptz)`);
    return reference;
  }

  const parse = ({ code, out, err }: { code: number | null; out: string; err: string }) => {
    if (out === '') throw new Error(err);
    const result = JSON.parse(out) as Result;
    const kinds = result.kinds.filter(({ count }) => count > 0);
    return { code, result, kinds: Object.fromEntries(kinds.map(({ kind, ...sums }) => [kind, sums])) };
  };
  const run = async (statement: string, ...given: string[]) => {
    const file = join(folder, 'statement.csv');
    await writeFile(file, statement);
    return parse(
      await admin.run('airtime', 'reconcile', 'vtpass', ...period, '--file', file, ...given, '--json'),
    );
  };
  const csv = (...lines: string[]) => ['request_id,Amount,Status,Date', ...lines, ''].join('\n');
  /** So that the file has a line before and after the purchases. */
  const around = async () => {
    const early = await plant({ state: 'success', at: '2026-11-10T00:00:01Z' });
    const late = await plant({ state: 'success', at: '2026-11-10T23:00:00Z' });
    return [`${early},100,delivered,2026-11-10 00:30:00`, `${late},100,delivered,2026-11-11 00:30:00`];
  };
  const withoutTime = (line: string) => line.slice(0, line.lastIndexOf(',') + 1);
  const resolutionOf = async (reference: string) => {
    const [row] = await fixture.database.query<{ resolution: string | null; due: boolean | null }>(sql`
      SELECT resolution, next_attempt_at <= now() AS due FROM airtime_purchase WHERE request_reference = ${reference}`);
    return row;
  };

  it('finds each kind of difference, and nothing else', async () => {
    const same = await plant({ state: 'success' });
    await plant({ state: 'success', theirs: 'T-7' });
    const rejected = await plant({ state: 'failed' });
    await plant({ state: 'failed' });
    const waiting = await plant({ state: 'sent' });
    const refunded = await plant({ state: 'failed', naira: 150 });
    const moved = await plant({ state: 'success', provider: 'reloadly', naira: 70 });
    const failedThere = await plant({ state: 'success', naira: 30 });
    const absent = await plant({ state: 'success', naira: 20 });
    const dearer = await plant({ state: 'success' });
    const twice = await plant({ state: 'success' });
    const early = await plant({ state: 'failed', naira: 40 });
    const unsettled = await plant({ state: 'error', naira: 60 });
    await plant({ state: 'success', at: '2026-11-09T23:59:59Z' });
    await plant({ state: 'success', at: '2026-11-11T00:00:00Z' });
    await plant({ state: 'success', provider: 'talking' });
    const lines = [
      `${same},NGN 100.00,delivered,`,
      `,"100",delivered,,T-7`,
      `${rejected},100,failed,`,
      `${waiting},100,pending,`,
      `${refunded},150,Delivered,`,
      `${moved},70,successful,`,
      `${failedThere},30,reversed,`,
      `${dearer},100.01,delivered,`,
      `${twice},100,delivered,`,
      `${twice},100,delivered,`,
      `${early},40,initiated,`,
      `${unsettled},"₦60.00",delivered,`,
      `strange,"1,500",delivered,`,
      `strange-failed,9,failed,`,
      `,9,delivered,`,
      `${same},free,delivered,`,
      `${same},100,odd,`,
    ];
    const statement = ['request_id,Amount,Status,Date,Transaction ID', ...lines, ''].join('\n');
    const { code, result, kinds } = await run(statement);
    expect([code, result.matched]).toEqual([1, 11]);
    expect(kinds).toEqual({
      unreadable: { count: 3, there: '0.00', here: '0.00' },
      charged_there: { count: 2, there: '220.00', here: '220.00' },
      charged_here: { count: 2, there: '0.00', here: '50.00' },
      unsettled: { count: 1, there: '60.00', here: '60.00' },
      amount: { count: 2, there: '300.01', here: '200.00' },
      pending_there: { count: 1, there: '0.00', here: '40.00' },
      unknown_there: { count: 1, there: '1500.00', here: '0.00' },
    });
    const found = result.differences.map(({ kind, reference, there_status: there, here_status: here }) =>
      [kind, reference, there, here].join(' '),
    );
    expect(found.toSorted()).toEqual(
      [
        `amount ${dearer} delivered success`,
        `amount ${twice} delivered success`,
        `charged_here ${absent}  success`,
        `charged_here ${failedThere} reversed success`,
        `charged_there ${moved} successful success (reloadly)`,
        `charged_there ${refunded} Delivered failed`,
        `pending_there ${early} initiated failed`,
        `unknown_there strange delivered `,
        `unreadable  it has no reference `,
        `unreadable ${same} the amount "free" is not a number `,
        `unreadable ${same} the status "odd" is not known `,
        `unsettled ${unsettled} delivered error`,
      ].toSorted(),
    );
    const badLines = result.differences.filter(({ kind }) => kind === 'unreadable').map(({ line }) => line);
    expect(badLines).toEqual([16, 17, 18]);
    const file = await readFile(join(folder, 'statement.csv.differences.csv'), 'utf8');
    expect(file.split('\n')).toHaveLength(result.differences.length + 2);
    expect(JSON.stringify(result)).not.toMatch(/234803|0803\d{7}/);
    expect(await resolutionOf(unsettled)).toEqual({ resolution: null, due: null });
  });

  it('exits with 0 if many lines agree, even after a loss was booked', async () => {
    const reference = await plant({ state: 'failed' });
    const [{ id } = { id: '' }] = await fixture.database.query<{ id: string }>(
      sql`SELECT id FROM airtime_purchase`,
    );
    const subject = { subjectId: id, organisationId };
    await aPayment(fixture.database, organisationId, 10_000n);
    await reserve(fixture.database, 'airtime', [{ ...subject, kobo: 10_000n }]);
    await voidReservation(fixture.database, 'airtime', [subject]);
    expect(await run(csv(`${reference},100,delivered,`))).toMatchObject({ code: 1 });
    await bookLoss(fixture.database, [subject]);
    const twice = await run(csv(`${reference},100,delivered,`, `${reference},100,delivered,`));
    expect(twice.kinds).toMatchObject({ charged_there: { there: '200.00' } });
    const large = await plant({ state: 'success', naira: 6_000 });
    const parts = Array.from({ length: 6_000 }, () => `${large},1,delivered,`);
    const { code, result } = await run(csv(`${reference},100,delivered,`, ...parts));
    expect([code, result.matched, result.differences]).toEqual([0, 2, []]);
  });

  it('stores only what the statement proves, with --resolve', async () => {
    const lines = await around();
    const delivered = await plant({ state: 'sent', naira: 10 });
    const failed = await plant({ state: 'error', naira: 20 });
    const absent = await plant({ state: 'sent', naira: 30 });
    const dearer = await plant({ state: 'sent', naira: 40 });
    const pending = await plant({ state: 'sent', naira: 50 });
    const submitting = await plant({ state: 'submitting', naira: 60 });
    const uncovered = await plant({ state: 'error', naira: 70, at: '2026-11-10T23:59:00Z' });
    const refunded = await plant({ state: 'failed', naira: 80 });
    const statement = csv(
      ...lines,
      `${delivered},10,delivered,2026-11-10 12:00:05`,
      `${failed},20,failed,2026-11-10 12:00:05`,
      `${dearer},41,delivered,2026-11-10 12:00:05`,
      `${pending},50,pending,2026-11-10 12:00:05`,
      `${submitting},60,delivered,2026-11-10 12:00:05`,
      `${refunded},80,delivered,2026-11-10 12:00:05`,
    );
    const all = { delivered, failed, absent, dearer, pending, submitting, uncovered, refunded };
    const resolutions = async () => {
      const found: Record<string, string | null | undefined> = {};
      for (const [name, reference] of Object.entries(all))
        found[name] = (await resolutionOf(reference))?.resolution;
      return found;
    };
    const none = Object.fromEntries(Object.keys(all).map((name) => [name, null]));
    expect((await run(statement)).code).toBe(1);
    const withoutYes = await admin.run(
      ...['airtime', 'reconcile', 'vtpass', ...period, '--file', join(folder, 'statement.csv'), '--resolve'],
    );
    expect(withoutYes.err).toContain('Charge 2 (70.00 naira) and refund 2 (50.00 naira)');
    expect(await resolutions()).toEqual(none);
    const { code, result } = await run(statement, '--resolve', '--yes');
    // What remains: the amount, the one that is being submitted, the one after the last line, and the refunded one.
    expect([code, result.resolved]).toEqual([1, 3]);
    expect(await resolutions()).toEqual({
      ...none,
      delivered: 'success',
      failed: 'failed',
      absent: 'failed',
    });
    expect(await resolutionOf(delivered)).toEqual({ resolution: 'success', due: true });
    const audited = await admin.json<{ actor: string; after: object }[]>(
      'audit',
      '--action',
      'airtime reconcile',
    );
    expect(audited.map(({ after }) => JSON.stringify(after)).toSorted()).toEqual([
      '{"naira":10,"resolution":"success"}',
      '{"naira":20,"resolution":"failed"}',
      '{"naira":30,"resolution":"failed"}',
    ]);
    // A resolution counts as the outcome.
    const again = await run(statement, '--resolve', '--yes');
    expect(again.result.resolved).toBe(0);
    expect(again.kinds).toMatchObject({
      unsettled: { count: 2 },
      amount: { count: 1 },
      charged_there: { count: 1 },
    });
  });

  /** The resolutions after a run with these lines between the first and the last one of the period. */
  const resolve = async (lines: readonly string[], heading = 'request_id,Amount,Status,Date') => {
    await fixture.database.execute(sql`DELETE FROM airtime_purchase WHERE state = 'success'`);
    const [first = '', last = ''] = await around();
    const { kinds } = await run([heading, first, ...lines, last, ''].join('\n'), '--resolve', '--yes');
    const rows = await fixture.database.query<{ resolution: string | null }>(
      sql`SELECT resolution FROM airtime_purchase WHERE state IN ('sent', 'error') ORDER BY id`,
    );
    return { kinds: Object.keys(kinds), resolutions: rows.map(({ resolution }) => resolution) };
  };

  it('does not treat a missing line as proof if lines have only the reference of the provider', async () => {
    await plant({ state: 'error' });
    const lines = [',100,delivered,2026-11-10 12:00:05,T-1'];
    expect(await resolve(lines, 'request_id,Amount,Status,Date,Transaction ID')).toEqual({
      kinds: ['unsettled', 'unknown_there'],
      resolutions: [null],
    });
  });

  it('does not settle a purchase whose line cannot be read', async () => {
    const reference = await plant({ state: 'error' });
    for (const line of ['100,resolved', '#100,delivered'])
      expect(await resolve([`${reference},${line},2026-11-10 12:00:05`])).toEqual({
        kinds: ['unreadable'],
        resolutions: [null],
      });
    expect(await resolve(['not a line of a statement'])).toMatchObject({ resolutions: [null] });
  });

  it('does not settle a purchase by the failure of an earlier submission', async () => {
    const reference = await plant({ state: 'sent', at: '2026-11-10T23:40:00Z' });
    const earlier = reference.replace(/^\d{12}/, '202611101200');
    expect(earlier).not.toBe(reference);
    expect(await resolve([`${earlier},100,failed,2026-11-10 12:00:05`])).toEqual({
      kinds: ['unsettled'],
      resolutions: [null],
    });
    const charged = await resolve([`${earlier},100,delivered,2026-11-10 12:00:05`]);
    expect(charged).toEqual({ kinds: ['unsettled'], resolutions: [null] });
  });

  it('does not settle a purchase that the statement lists as both charged and failed', async () => {
    for (const state of ['sent', 'failed']) {
      const reference = await plant({ state });
      const at = '2026-11-10 12:00:05';
      const lines = [`${reference},100,delivered,${at}`, `${reference},100,reversed,${at}`];
      expect(await resolve(lines)).toMatchObject({ kinds: ['contradictory'] });
      await fixture.database.execute(sql`TRUNCATE airtime_purchase CASCADE`);
    }
  });

  it('treats a missing line as proof only if the file has times before and after the purchase', async () => {
    const [first = '', last = ''] = await around();
    const absent = await plant({ state: 'error' });
    for (const lines of [[first], [last], [], [first, last].map(withoutTime)]) {
      const { kinds, result } = await run(csv(...lines), '--resolve', '--yes');
      expect(kinds['unsettled']).toMatchObject({ count: 1 });
      expect(result.resolved).toBe(0);
    }
    expect((await run(csv(first, last), '--resolve', '--yes')).result.resolved).toBe(1);
    expect(await resolutionOf(absent)).toEqual({ resolution: 'failed', due: true });
  });

  describe('with the report of the API', () => {
    const transactionOf = (customIdentifier: string, values: object = {}) => ({
      transactionId: transactions.length + 1,
      status: 'SUCCESSFUL',
      customIdentifier,
      requestedAmount: 0.07,
      requestedAmountCurrencyCode: 'USD',
      deliveredAmount: 100,
      deliveredAmountCurrencyCode: 'NGN',
      transactionDate: '2026-11-10 12:00:05',
      ...values,
    });
    const reconcile = async (...given: string[]) => {
      const output = join(folder, 'report.differences.csv');
      const options = [...period, '--output', output, ...given, '--json'];
      return admin.run('airtime', 'reconcile', 'reloadly', ...options);
    };

    it('reads all pages, and resolves what they prove', async () => {
      const provider = 'reloadly';
      for (let count = 0; count < 120; count += 1)
        transactions.push(transactionOf(await plant({ state: 'success', provider })));
      const delivered = await plant({ state: 'sent', provider });
      const refunded = await plant({ state: 'sent', provider });
      const absent = await plant({ state: 'error', provider });
      // Submitted in the period, and listed after it.
      transactions.push(transactionOf(delivered, { transactionDate: '2026-11-11 00:30:00' }));
      transactions.push(transactionOf(refunded, { status: 'REFUNDED' }));
      // Outside the period.
      transactions.push(transactionOf('strange', { transactionDate: '2026-11-11 01:00:00' }));
      const { code, result, kinds } = parse(await reconcile('--resolve', '--yes'));
      expect({ code, matched: result.matched, resolved: result.resolved, kinds }).toEqual({
        code: 0,
        matched: 122,
        resolved: 3,
        kinds: { unsettled: { count: 3, there: '100.00', here: '300.00' } },
      });
      const stored = await Promise.all([delivered, refunded, absent].map(resolutionOf));
      expect(stored.map((row) => row?.resolution)).toEqual(['success', 'failed', 'failed']);
      const pages = reloadly.requests.flatMap(({ path = '' }) => /&page=(\d+)/.exec(path)?.[1] ?? []);
      expect(pages.slice(-4)).toEqual(['1', '2', '3', '4']);
      expect(reloadly.requests.at(-1)?.path).toContain('startDate=2026-11-09%2022%3A00%3A00');
    });

    it('compares nothing if a page cannot be read or the report changes', async () => {
      await plant({ state: 'error', provider: 'reloadly' });
      const cases: [object[], string][] = [
        [Array.from({ length: 60 }, () => transactionOf('same')), 'is on two pages'],
        [[{ ...transactionOf('x'), broken: true }], 'cannot be read'],
      ];
      for (const [given, message] of cases) {
        transactions = given;
        const { code, out, err } = await reconcile('--resolve', '--yes');
        expect([code, out]).toEqual([1, '']);
        expect(err).toContain(message);
      }
    });
  });

  it('names missing arguments', async () => {
    const refusal = async (...given: string[]) => (await admin.run('airtime', 'reconcile', ...given)).err;
    expect(await refusal('vtpass', ...period)).toContain('no list of transactions');
    expect(await refusal('talking', ...period)).toContain('--file');
    expect(await refusal('unknown', ...period)).toContain('There is no provider unknown');
    expect(await refusal('vtpass', '--from', '2026-11-11', '--to', '2026-11-10')).toContain(
      'period is empty',
    );
    const file = join(folder, 'bad.csv');
    for (const [text, message] of [
      ['', 'is empty'],
      ['request_id\n', 'no column amount or value'],
      ['amount\n', 'no column request_id or reference or transaction_id'],
    ] as const) {
      await writeFile(file, text);
      expect(await refusal('vtpass', ...period, '--file', file)).toContain(message);
    }
  });
});
