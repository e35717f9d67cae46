import { setTimeout } from 'node:timers/promises';
import { sql } from '@gangan/database';
import { africasTalkingFailure, type FakeAirtime, reloadlyError, vtpassError } from '@gangan/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { addFakes, addProvider, addRoute } from '../support/add-provider.js';
import {
  africasTalkingSecrets,
  startAfricasTalking,
  startReloadly,
  startVtpass,
} from '../support/open-adapters.js';
import { TestAirtime, type Worker } from '../support/test-airtime.js';

describe('stored airtime providers', () => {
  let airtime: TestAirtime;
  let worker: Worker;
  let organisation: string;
  let vtpass: FakeAirtime;
  let reloadly: FakeAirtime;
  let africastalking: FakeAirtime;
  let ids: Readonly<Record<'vtpass' | 'reloadly' | 'africastalking', string>>;
  let next = 0;

  beforeAll(async () => {
    airtime = await TestAirtime.open();
    [vtpass, reloadly] = [await startVtpass(1_000), await startReloadly()];
    africastalking = await startAfricasTalking();
  });
  afterAll(async () => {
    await airtime.close();
    await Promise.all([vtpass.stop(), reloadly.stop(), africastalking.stop()]);
  });
  beforeEach(async () => {
    vtpass.payment = reloadly.payment = africastalking.payment = () => 'deliver';
    await airtime.database.execute(sql`TRUNCATE airtime_route, provider CASCADE`);
    const settings = { allowPrivate: true };
    const { database, sealer } = airtime;
    ids = {
      ...(await addFakes(database, sealer, { vtpass, reloadly })),
      africastalking: await addProvider(database, sealer, {
        name: 'africastalking',
        kind: 'africastalking',
        secrets: africasTalkingSecrets,
        settings: {
          ...settings,
          username: 'acme',
          url: africastalking.url,
          queryUrl: `${africastalking.url}/query/transaction/find`,
        },
      }),
    };
    organisation = await airtime.organisation(100_000_000n, 'live');
    worker = await airtime.worker();
  });
  afterEach(() => airtime.expectSoundLedger());

  const buy = (request: object = {}): Promise<string> =>
    airtime.buy(worker, organisation, { recipient: `0803200${String(1_000 + (next += 1))}`, ...request });
  const settle = async (request?: object): Promise<string> => {
    const id = await buy(request);
    await worker.settlement.settle(id);
    return id;
  };
  const routeBoth = async (): Promise<void> => {
    await addRoute(airtime.database, [ids.vtpass, ids.reloadly]);
    await worker.providers.refresh();
  };

  it('get purchases by their routes; a network without a route gets 503', async () => {
    await worker.providers.refresh();
    await expect(buy()).rejects.toMatchObject({
      status: 503,
      message: expect.stringContaining('ask the operator to add a provider and a route'),
    });
    await addRoute(airtime.database, [ids.vtpass], { network: 'MTN' });
    await worker.providers.refresh();
    expect(await airtime.stored(await settle())).toMatchObject({ state: 'success', provider: 'vtpass' });
    await expect(buy({ network: 'Glo' })).rejects.toMatchObject({ status: 503 });
    await addRoute(airtime.database, [ids.vtpass]);
    await worker.providers.refresh();
    await expect(buy({ network: 'NTEL' })).rejects.toMatchObject({ status: 503 });
    expect(await airtime.stored(await settle({ network: 'Glo' }))).toMatchObject({ state: 'success' });
    await airtime.database.provider.updateMany({ data: { enabled: false } });
    await worker.providers.refresh();
    await expect(buy()).rejects.toMatchObject({ status: 503 });
  });

  it('are asked by the request id that was stored before the call, even if they are disabled', async () => {
    await routeBoth();
    vtpass.payment = () => 'lose';
    const id = await settle();
    const [row] = await airtime.database.query<{ reference: string }>(
      sql`SELECT request_reference AS reference FROM airtime_purchase WHERE id = ${id}`,
    );
    expect(vtpass.payments.get(row?.reference ?? '')).toBe(1);
    await airtime.database.provider.updateMany({ data: { enabled: false } });
    await worker.providers.refresh();
    await airtime.pass(5_000);
    await worker.sweep();
    expect(await airtime.stored(id)).toMatchObject({ state: 'success', provider: 'vtpass' });
  });

  it('are asked for three minutes about a purchase that VTpass does not find; then it is refunded', async () => {
    await routeBoth();
    vtpass.payment = () => 'drop';
    const id = await settle();
    for (const [afterMs, state] of [
      [120_000, 'sent'],
      [60_000, 'failed'],
    ] as const) {
      await airtime.pass(afterMs);
      await worker.sweep();
      expect(await airtime.stored(id)).toMatchObject({ state, provider: 'vtpass' });
    }
    expect(await airtime.stored(id)).toMatchObject({ refunded: true, code: 'never_arrived' });
  });

  it.each(['020', '030', '040'])('are asked again about a payment with the code %s', async (code) => {
    await routeBoth();
    vtpass.payment = (reference) => {
      vtpass.topUps.set(reference, 'delivered');
      return vtpassError(code);
    };
    const id = await settle();
    expect(await airtime.stored(id)).toMatchObject({ state: 'sent', refunded: false });
    await airtime.pass(5_000);
    await worker.sweep();
    expect(await airtime.stored(id)).toMatchObject({ state: 'success', provider: 'vtpass' });
  });

  it('are followed by the next only if nothing was sent', async () => {
    await routeBoth();
    await airtime.database.provider.update({
      where: { id: ids.vtpass },
      data: { settings: { allowPrivate: true, url: 'http://127.0.0.1:1/api' } },
    });
    await worker.providers.refresh();
    expect(await airtime.stored(await settle())).toMatchObject({ state: 'success', provider: 'reloadly' });
  });

  it('are paused when our account is at fault; the purchase waits and goes to the next', async () => {
    await routeBoth();
    vtpass.payment = () => vtpassError('018');
    const id = await settle();
    expect(await airtime.stored(id)).toMatchObject({ state: 'pending', provider: null });
    const health = await airtime.database.providerHealth.findMany();
    expect(health).toMatchObject([{ providerId: ids.vtpass, state: 'paused', errorCode: 'account' }]);
    expect(airtime.recorded.errors.splice(0)).toEqual([expect.stringContaining('is paused')]);
    await airtime.pass(0);
    await worker.sweep();
    expect(await airtime.stored(id)).toMatchObject({ state: 'success', provider: 'reloadly' });

    const other = await airtime.worker();
    await other.providers.refresh();
    const second = await buy();
    await other.settlement.settle(second);
    expect(await airtime.stored(second)).toMatchObject({ provider: 'reloadly' });
    vtpass.payment = () => 'deliver';
    await airtime.database.execute(sql`UPDATE provider_health SET test_at = now() - interval '1 second'`);
    await worker.providers.refresh();
    expect(await airtime.stored(await settle())).toMatchObject({ state: 'success', provider: 'vtpass' });
    expect(await airtime.database.providerHealth.findMany()).toMatchObject([{ state: 'up' }]);
  });

  it('are followed by the next if they do not sell to a number; without a next one the purchase fails', async () => {
    reloadly.payment = () => reloadlyError(400, 'INVALID_RECIPIENT_PHONE');
    await addRoute(airtime.database, [ids.reloadly, ids.vtpass]);
    await addRoute(airtime.database, [ids.reloadly], { network: 'Glo' });
    await addRoute(airtime.database, [ids.vtpass, ids.reloadly], { network: 'Airtel' });
    await worker.providers.refresh();
    expect(await airtime.stored(await settle())).toMatchObject({ state: 'success', provider: 'vtpass' });
    expect(await airtime.stored(await settle({ network: 'Glo' }))).toMatchObject({
      state: 'failed',
      refunded: true,
      code: 'invalid_number',
    });
    const moveVtpass = async (url: string): Promise<void> => {
      const settings = { allowPrivate: true, url };
      await airtime.database.provider.update({ where: { id: ids.vtpass }, data: { settings } });
      await worker.providers.refresh();
    };
    await moveVtpass('http://127.0.0.1:1/api');
    const id = await settle({ network: 'Airtel' });
    expect(await airtime.stored(id)).toMatchObject({ state: 'pending' });
    await moveVtpass(vtpass.url);
    await airtime.pass(0);
    await worker.sweep();
    expect(await airtime.stored(id)).toMatchObject({ state: 'success', provider: 'vtpass' });
  });

  it('are tested by the next purchase if the first test was not submitted', async () => {
    await routeBoth();
    const recipient = '08032009999';
    expect(await airtime.stored(await settle({ recipient }))).toMatchObject({ provider: 'vtpass' });
    await airtime.database.execute(sql`
      INSERT INTO provider_health (provider_id, state, since, test_at)
      VALUES (${ids.vtpass}::uuid, 'paused', now() - interval '1 hour', now() - interval '1 second')
      ON CONFLICT (provider_id) DO UPDATE SET state = 'paused', since = excluded.since, test_at = excluded.test_at`);
    await worker.providers.refresh();
    expect(await airtime.stored(await settle({ recipient }))).toMatchObject({ state: 'duplicate' });
    expect(await airtime.stored(await settle())).toMatchObject({ state: 'success', provider: 'vtpass' });
    expect(await airtime.database.providerHealth.findMany()).toMatchObject([{ state: 'up' }]);
  });

  it.each([
    ['vtpass', vtpassError('018')],
    ['reloadly', reloadlyError(400, 'INSUFFICIENT_BALANCE')],
    ['africastalking', africasTalkingFailure('Insufficient Balance')],
  ] as const)(
    'get a purchase under a new reference after they refused our account: %s',
    async (name, refusal) => {
      await addRoute(airtime.database, [ids[name]]);
      await worker.providers.refresh();
      const server = { vtpass, reloadly, africastalking }[name];
      const before = server.payments.size;
      server.payment = () => refusal;
      const id = await settle();
      expect(await airtime.stored(id)).toMatchObject({ state: 'pending' });
      server.payment = () => 'deliver';
      await airtime.database.execute(sql`UPDATE provider_health SET test_at = now() - interval '1 second'`);
      await worker.providers.refresh();
      // A reference of VTpass contains the second of its time.
      if (name === 'vtpass') await setTimeout(1_000);
      for (let round = 0; round < 2; round += 1) {
        await airtime.pass(0);
        await worker.sweep();
      }
      expect(await airtime.stored(id)).toMatchObject({ state: 'success', provider: name });
      expect(server.payments.size).toBe(before + 2);
      airtime.recorded.errors.splice(0);
    },
  );

  it('get no more purchases after five answers of 5xx in a row; those purchases stay unknown', async () => {
    await routeBoth();
    vtpass.payment = () => ({ status: 503, body: 'Service Unavailable' });
    for (let count = 0; count < 5; count += 1)
      expect(await airtime.stored(await settle())).toMatchObject({ state: 'sent', provider: 'vtpass' });
    const health = await airtime.database.providerHealth.findMany();
    expect(health).toMatchObject([{ providerId: ids.vtpass, state: 'open', errorCode: 'no_answer' }]);
    expect(await airtime.stored(await settle())).toMatchObject({ state: 'success', provider: 'reloadly' });
  });

  it('have their purchases, and those that they did not accept, counted with the last reason', async () => {
    await routeBoth();
    vtpass.payment = () => vtpassError('012');
    await settle();
    vtpass.payment = () => 'deliver';
    await settle();
    await worker.health.storeCounts();
    const counts = await airtime.database.providerHealth.findMany({ orderBy: { submitted: 'asc' } });
    expect(counts).toMatchObject([
      { providerId: ids.reloadly, submitted: 1, notAccepted: 0, errorCode: null },
      { providerId: ids.vtpass, submitted: 2, notAccepted: 1, errorCode: 'not_available' },
    ]);
  });

  it('get no purchase beyond our credit; it goes to the next provider or waits', async () => {
    await addRoute(airtime.database, [ids.vtpass], { network: 'MTN' });
    await addRoute(airtime.database, [ids.vtpass, ids.reloadly], { network: 'Glo' });
    await worker.providers.refresh();
    await worker.providers.askCredits();
    await worker.providers.refresh();
    const glo = { network: 'Glo', amount: 1_001, recipient: '08052000000' };
    expect(await airtime.stored(await settle(glo))).toMatchObject({ state: 'success', provider: 'reloadly' });
    expect(await airtime.stored(await settle({ amount: 600 }))).toMatchObject({ state: 'success' });
    const [one, other] = [await buy({ amount: 250 }), await buy({ amount: 250 })];
    await Promise.all([one, other].map((id) => worker.settlement.settle(id)));
    const both = [await airtime.stored(one), await airtime.stored(other)];
    expect(both.map(({ state }) => state).toSorted()).toEqual(['pending', 'success']);
    const beyond = await settle({ amount: 151 });
    expect(await airtime.stored(beyond)).toMatchObject({ state: 'pending', provider: null });
    expect(await airtime.stored(await settle({ amount: 150 }))).toMatchObject({ state: 'success' });
    await airtime.database.execute(
      sql`UPDATE provider_health SET credit_micros = 5000000000, credit_at = now()`,
    );
    await worker.providers.refresh();
    await airtime.pass(0);
    await worker.sweep();
    expect(await airtime.stored(beyond)).toMatchObject({ state: 'success', provider: 'vtpass' });
  });
});
