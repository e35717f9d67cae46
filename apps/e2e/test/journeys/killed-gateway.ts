import { sql, type Sql } from '@gangan/database';
import { type TestResponse, until } from '@gangan/testing';
import { expect, it } from '@jest/globals';
import { ownOrganisation } from '../support/new-organisation.js';
import type { OwnSystem } from '../support/running.js';

const made = sql`SELECT id FROM airtime_purchase WHERE external_ref = 'killed'`;

/** The gateway dies after the work is done and before it responds. Only a retry by the caller can recover. */
export function recoversFromKilledGateway(running: OwnSystem): void {
  const { system, database } = running;
  const { key } = ownOrganisation(running, 'Killed gateway');
  const buy = (): Promise<TestResponse> =>
    system().request({
      method: 'POST',
      path: '/airtime/buy',
      key: key(),
      headers: { 'idempotency-key': 'killed' },
      body: { network: 'MTN', amount: 250, recipient: '08031000001', external_ref: 'killed' },
    });

  it('makes a purchase once and responds to a retry', async () => {
    const before = await balance();
    const unanswered = await killedBetweenWorkAndAnswer();
    expect(unanswered).toMatchObject({ code: 'ECONNRESET' });
    const bought = await purchases();
    expect(bought).toHaveLength(1);

    await until('the gateway is ready again', () => system().output.includes('gateway is ready again'));
    await leaseUntil(sql`now() + interval '1 hour'`);
    expect(await buy()).toMatchObject({ status: 409, body: { errors: [{ type: 'in_progress' }] } });
    await leaseUntil(sql`now()`);
    const answer = await buy();
    expect(answer).toMatchObject({ status: 200, body: { ...bought[0], status: 'pending' } });
    expect(answer.headers['idempotent-replayed']).toBeUndefined();
    const again = await buy();
    expect([again.headers['idempotent-replayed'], again.body]).toEqual(['true', answer.body]);

    expect(await purchases()).toEqual(bought);
    expect(
      await rows(sql`
      SELECT subject_id AS id FROM ledger_movement
      WHERE kind = 'reserve' AND subject_id = ${bought[0]?.id}`),
    ).toEqual(bought);
    expect(await balance()).toBe(before - 250);
  });

  /** Blocks the worker at the charge, which shows that it has begun, while the gateway waits for the reply. */
  async function killedBetweenWorkAndAnswer(): Promise<unknown> {
    const gateway = system().apps()['gateway'] ?? 0;
    let asked: Promise<unknown> | undefined;
    await database().transaction(async (transaction) => {
      await transaction.query(sql`SELECT id FROM ledger_account FOR UPDATE`);
      asked = buy().catch((error: unknown) => error);
      const waiting = sql`SELECT pid FROM pg_locks WHERE NOT granted`;
      await until('the worker waits for a lock', async () => (await rows(waiting)).length > 0);
      process.kill(gateway, 'SIGSTOP');
    });
    await until('the purchase is stored', async () => (await purchases()).length > 0);
    process.kill(gateway, 'SIGKILL');
    return asked;
  }

  /** Extends or ends the lease of the claim, so that the test does not depend on timing. */
  const leaseUntil = async (moment: Sql): Promise<void> => {
    const changed = await database().execute(sql`
      UPDATE idempotency_claim SET leased_until = ${moment} WHERE answer_status IS NULL`);
    expect(changed).toBe(1);
  };

  const purchases = () => rows<{ id: string }>(made);
  const rows = <Row extends object>(statement: Sql): Promise<Row[]> => database().query<Row>(statement);
  const balance = async (): Promise<number> => {
    const { body } = await system().request({ path: '/balance', key: key() });
    return (body as { available_balance: number }).available_balance;
  };
}
