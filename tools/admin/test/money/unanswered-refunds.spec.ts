import { balancesOf, charge, checkLedger } from '@gangan/billing';
import { sql } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { aDelivery, aMessage, anOrganisation, runSql } from '@gangan/testing';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { AdminCli } from '../support/admin-cli.js';
import { AdminFixture } from '../support/admin-fixture.js';

interface Result {
  readonly settled: number;
  readonly approvals?: readonly string[];
}

const fixture = AdminFixture.use();
const price = 400n;
let url: string;
let ada: AdminCli;
let grace: AdminCli;
let live: string;

beforeAll(async () => {
  const cli = (name: string, of: string) => fixture.cli({ DATABASE_URL: of, GANGAN_ACTOR: name });
  url = await fixture.addOperator('ada');
  ada = cli('ada', url);
  grace = cli('grace', await fixture.addOperator('grace'));
});

beforeEach(async () => {
  await fixture.database.execute(sql`TRUNCATE delivery, message CASCADE`);
  await fixture.database.execute(sql`DELETE FROM unapproved_amount`);
  await fixture.database.execute(sql`UPDATE approval_setting SET limit_kobo = 1000`);
  live = await organisation('live');
});

const organisation = async (mode: 'live' | 'test') =>
  (await anOrganisation(fixture.database, { mode, balanceKobo: 1_000_000n })).id;

/** Ended deliveries of one message, which the provider did not answer. */
async function unanswered(count: number, organisationId = live): Promise<string[]> {
  const messageId = newId();
  const chargeKobo = BigInt(count) * price;
  await charge(fixture.database, 'message', [{ subjectId: messageId, organisationId, kobo: chargeKobo }]);
  await aMessage(fixture.database, organisationId, { id: messageId, chargeKobo });
  const ended = {
    messageId,
    provider: 'termii',
    state: 'expired',
    errorCode: 'no_answer',
    chargeKobo: price,
  };
  const ids: string[] = [];
  for (let made = 0; made < count; made += 1)
    ids.push(await aDelivery(fixture.database, organisationId, ended));
  return ids;
}

const decide = async (decision = '--refund'): Promise<Result & { readonly code: number | null }> => {
  const { code, out, err } = await ada.run('messages', 'unanswered', decision, '--yes', '--json');
  if (code === 1) throw new Error(err);
  return { ...(JSON.parse(out) as Result), code };
};
const balance = async (organisationId = live) =>
  (await balancesOf(fixture.database, organisationId)).available;
const refunded = (ids: readonly string[]) =>
  fixture.database.delivery.count({ where: { id: { in: [...ids] }, refunded: true } });

describe('refunds of messages without an answer', () => {
  it('above the limit together need another operator, who refunds exactly these', async () => {
    const ids = await unanswered(3);
    const before = await balance();
    const { code, settled, approvals = [] } = await decide();
    expect({ code, settled, requests: approvals.length }).toEqual({ code: 3, settled: 0, requests: 1 });
    expect([await refunded(ids), (await balance()) - before]).toEqual([0, 0n]);
    const [approval = ''] = approvals;
    const [listed] = await grace.json<{ change: string }[]>('approvals');
    expect(listed).toMatchObject({
      action: 'refund',
      naira: 12,
      change: expect.stringMatching(/^refund 12\.00 naira of 3 deliveries without an answer for .+\/live$/),
    });
    expect((await ada.run('approve', approval, '--yes')).err).toContain('another operator must approve it');
    expect((await decide()).approvals).toEqual(approvals);
    const later = await unanswered(1);
    await grace.json('approve', approval, '--yes');
    expect([await refunded(ids), await refunded(later)]).toEqual([3, 0]);
    expect((await balance()) - before).toBe(3n * price - price);
    expect(await checkLedger(fixture.database)).toMatchObject({ findings: [] });
    const entries = await ada.json<Record<string, unknown>[]>('audit', '--organisation', live);
    expect(entries).toMatchObject([
      { action: 'approve', actor: 'grace', after: { action: 'refund', deliveries: 3, naira: 12 } },
      ...ids.toReversed().map((id) => ({ action: 'approve', actor: 'grace', target: `delivery ${id}` })),
      { action: 'messages unanswered', actor: 'ada', after: { approval, state: 'pending', naira: 12 } },
      // The first money of the organisation.
      { actor: 'test' },
    ]);
    // It is approved, so it does not count.
    expect(await decide()).toMatchObject({ code: 0, settled: 1 });
  });

  it('count towards the limit of the operator and the account, as what was booked does', async () => {
    await ada.json('top-up', live, '3');
    await unanswered(1);
    expect(await decide()).toMatchObject({ code: 0, settled: 1 });
    await unanswered(1);
    expect(await decide()).toMatchObject({ code: 3, settled: 0 });
    expect(await decide('--keep')).toMatchObject({ code: 0, settled: 1 });
    expect((await ada.run('top-up', live, '3.01', '--yes')).code).toBe(3);
  });

  it('of several organisations are compared together with the limit, except those of test organisations', async () => {
    const other = await organisation('live');
    const test = await organisation('test');
    const ids = [...(await unanswered(2)), ...(await unanswered(2, other))];
    const ofTest = await unanswered(4, test);
    expect(await decide()).toMatchObject({
      code: 3,
      settled: 4,
      approvals: [expect.any(String), expect.any(String)],
    });
    expect([await refunded(ids), await refunded(ofTest)]).toEqual([0, 4]);
  });

  it('leave out what got an answer before the approval', async () => {
    const [first = '', ...others] = await unanswered(3);
    const approval = (await decide()).approvals?.[0] ?? '';
    const arrive = (id: string) =>
      fixture.database.delivery.update({ where: { id }, data: { state: 'delivered' } });
    await arrive(first);
    await grace.json('approve', approval, '--yes');
    expect([await refunded([first]), await refunded(others)]).toEqual([0, 2]);
    const ids = await unanswered(3);
    const second = (await decide()).approvals?.[0] ?? '';
    for (const id of ids) await arrive(id);
    expect((await grace.run('approve', second, '--yes')).err).toContain(`pnpm admin reject ${second}`);
  });

  it('are not possible with the tables and other functions that an operator may use', async () => {
    const [id = ''] = await unanswered(1);
    for (const statement of [
      `UPDATE delivery SET resolution = 'refund'`,
      'UPDATE delivery SET refunded = true',
      'UPDATE delivery SET next_attempt_at = now()',
      `SELECT FROM refund_money(ARRAY['${id}'::uuid], ARRAY['${live}'::uuid], ARRAY[400::bigint], ARRAY['x'], ARRAY['${id}'::uuid])`,
      `SELECT settle_unanswered('${live}', ARRAY['${id}'::uuid], 'refund', 'ada', 'x')`,
      `SELECT FROM lock_unanswered('${live}', ARRAY['${id}'::uuid], 'refund')`,
    ])
      await expect(runSql(url, statement)).rejects.toMatchObject({ code: '42501' });
    const ids = await unanswered(3);
    const call = `SELECT resolve_unanswered('${live}', ARRAY['${ids.join("'::uuid, '")}'::uuid], 'refund', 0, 'ada')`;
    expect(await runSql(url, call)).toMatchObject([{ resolve_unanswered: { state: 'pending' } }]);
  });
});
