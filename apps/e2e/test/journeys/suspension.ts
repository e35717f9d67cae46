import { balancesOf, checkLedger } from '@gangan/billing';
import { sql } from '@gangan/database';
import { until } from '@gangan/testing';
import { expect, it } from '@jest/globals';
import { newOrganisation } from '../support/new-organisation.js';
import type { RunningSystem } from '../support/running.js';

const sms = 400n;
const topUp = 10_000n;

/** The gateways notice a suspension within 5 s, so requests still arrive for a moment. */
export function holdsTheWorkOfSuspendedOrganisations({ system, database }: RunningSystem): void {
  const setStatus = (id: string, status: 'active' | 'suspended') =>
    database().organisation.update({ where: { id }, data: { status } });
  /** Sends requests that the gateway accepts because it read the key before the suspension. */
  const post = async (key: string, path: string, body: object): Promise<string> => {
    const answer = await system().request({ method: 'POST', path, key, body });
    expect(answer).toMatchObject({ status: 200 });
    return (answer.body as { id: string }).id;
  };
  const deliveries = (id: string) =>
    database().query<{ state: string; attempt: number; refunded: boolean; code: string | null }>(sql`
      SELECT state, attempt, refunded, error_code AS code FROM delivery WHERE ${id} IN (message_id, otp_id)`);
  const purchase = (id: string) =>
    database().query(sql`SELECT state::text, attempt FROM airtime_purchase WHERE id = ${id}`);

  it('holds messages and purchases, and continues after the activation', async () => {
    const kobo = sms + topUp + sms;
    const { key, id } = await newOrganisation(database(), 'Held', kobo);
    expect(await system().request({ path: '/balance', key })).toMatchObject({ status: 200 });
    await setStatus(id, 'suspended');
    const [message, airtime] = await Promise.all([
      post(key, '/sms/send', { recipients: '08035000001', content: 'Hello' }),
      post(key, '/airtime/buy', { network: 'MTN', amount: 100, recipient: '08035000002' }),
    ]);
    await until(
      'the gateway refuses requests',
      async () => (await system().request({ path: '/balance', key })).status === 403,
    );
    // Meanwhile new work became due, and the sweepers have run.
    const overdue = sql`SELECT FROM delivery WHERE message_id = ${message} AND next_attempt_at < now() - interval '3 s'`;
    await until('it is overdue', async () => (await database().query(overdue)).length > 0);
    expect(await deliveries(message)).toMatchObject([{ state: 'queued', attempt: 0 }]);
    expect(await purchase(airtime)).toEqual([{ state: 'pending', attempt: 0 }]);
    await setStatus(id, 'active');
    await until('the message is delivered', async () => {
      const [delivery] = await deliveries(message);
      return delivery?.state === 'delivered';
    });
    await until('the purchase succeeds', async () => {
      const found = await purchase(airtime);
      return (found[0] as { state: string }).state === 'success';
    });
    expect(await balancesOf(database(), id)).toEqual({ available: sms, reserved: 0n });
  });

  it('refunds a held OTP when it expires', async () => {
    const { key, id } = await newOrganisation(database(), 'Held too long', sms);
    expect(await system().request({ path: '/balance', key })).toMatchObject({ status: 200 });
    await setStatus(id, 'suspended');
    const otp = await post(key, '/otp/request_token', { recipient: '08035000003' });
    expect(await balancesOf(database(), id)).toEqual({ available: 0n, reserved: 0n });
    await database().execute(sql`UPDATE otp SET expires_at = now() WHERE id = ${otp}`);
    await until('the delivery ends', async () => (await deliveries(otp))[0]?.state === 'failed');
    expect(await deliveries(otp)).toEqual([
      { state: 'failed', attempt: 0, refunded: true, code: 'suspended' },
    ]);
    expect(await balancesOf(database(), id)).toEqual({ available: sms, reserved: 0n });
    await setStatus(id, 'active');
    await until(
      'the gateway accepts requests',
      async () => (await system().request({ path: '/balance', key })).status === 200,
    );
    expect(await system().request({ path: `/otp/${otp}`, key })).toMatchObject({
      status: 200,
      body: { status: 3, status_desc: 'EXPIRED' },
    });
    expect(await checkLedger(database())).toMatchObject({ clean: true, findings: [] });
  });
}
