import { type Sql, sql } from '@gangan/database';
import { newContext, newId } from '@gangan/protocol';
import { sealSecrets } from '@gangan/providers';
import { DataSealer, newSealingKey } from '@gangan/sealing';
import { FakeTermii, until } from '@gangan/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { deliveryIdsOf } from '../src/delivery-ids.js';
import { DeliveryFixture } from './support/delivery-fixture.js';
import type { DeliveryWorker } from './support/delivery-worker.js';
import { storeRoute, storeTermii } from './support/stored-providers.js';

const apiKey = 'termii-key';
const recipient = '+2348031234567';

describe('providers and routes of live organisations', () => {
  let fixture: DeliveryFixture;
  let server: FakeTermii;
  let worker: DeliveryWorker;
  let organisationId: string;

  beforeAll(async () => {
    fixture = await DeliveryFixture.open();
  });
  afterAll(() => fixture.close());
  beforeEach(async () => {
    await fixture.database.execute(sql`TRUNCATE provider, route CASCADE`);
    server = await FakeTermii.start(apiKey);
    worker = fixture.worker();
    organisationId = await fixture.organisation(100_000_000n, 'live');
  });
  afterEach(() => server.stop());

  const addTermii = (name = 'termii', options: Partial<Parameters<typeof storeTermii>[3]> = {}) =>
    storeTermii(fixture.database, worker.sealer, name, { url: server.url, apiKey, ...options });
  const send = async (recipients = [recipient], owner = organisationId) => {
    const { deliveries } = await worker.accept(owner, {
      recipients: recipients.join(','),
      content: 'Hello',
      sender_id: 'Acme',
    });
    await worker.idle();
    return deliveries;
  };
  const counts = () =>
    fixture.database.query(sql`
      SELECT (SELECT count(*) FROM message)::int AS messages, (SELECT count(*) FROM delivery)::int AS deliveries,
        (SELECT count(*) FROM ledger_entry)::int AS entries`);
  const current = () =>
    worker.providers.findUsable('termii', { organisationId, mode: 'live', channel: 'sms', sender: 'Acme' });
  /** The provider has the message, and its answer is lost. */
  const sendUnanswered = async (): Promise<string> => {
    server.behaviour = () => 'lost';
    const [id = ''] = await send();
    server.behaviour = () => 'accept';
    return id;
  };
  /** The worker dies after the request, before it stores the outcome. */
  const sendAndCrash = async (): Promise<string> => {
    const { deliveries } = await fixture.accept(organisationId);
    const dying = fixture.worker();
    await dying.providers.refresh();
    dying.outcomes.record = () => Promise.reject(new Error('the worker died'));
    await dying.due(organisationId, deliveries);
    return deliveries[0] ?? '';
  };
  const refused = { status: 503, message: expect.stringContaining('pnpm admin routes add') };

  const routesOf = async (id: string) => {
    const rows = await fixture.database.query<{ routeId: string | null }>(sql`
      SELECT route_id AS "routeId" FROM delivery_attempt WHERE delivery_id = ${id}::uuid ORDER BY attempt`);
    return rows.map(({ routeId }) => routeId);
  };

  it('without a route, nothing is accepted; with one, messages are submitted at once', async () => {
    await worker.providers.refresh();
    const before = await counts();
    await expect(send()).rejects.toMatchObject(refused);
    expect([await counts(), await fixture.available(organisationId)]).toEqual([before, 100_000_000n]);
    const route = await storeRoute(fixture.database, [await addTermii()]);
    await worker.providers.refresh();
    const [id = ''] = await send();
    expect(await fixture.stored(id)).toMatchObject({ state: 'sent', provider: 'termii', attempt: 1 });
    expect(await routesOf(id)).toEqual([route]);
    expect(server.sent).toMatchObject([{ to: '2348031234567', from: 'Acme', sms: 'Hello' }]);
    const [row] = await fixture.database.query<{ reference: string }>(
      sql`SELECT provider_reference AS reference FROM delivery WHERE id = ${id}::uuid`,
    );
    expect(row?.reference).toMatch(/^\d+$/);
  });

  it('test organisations use the simulator, whatever the routes say', async () => {
    await storeRoute(fixture.database, [await addTermii()]);
    await worker.providers.refresh();
    const [id = ''] = await send([recipient], await fixture.organisation());
    expect(await fixture.stored(id)).toMatchObject({ provider: 'simulator' });
    expect(server.requests).toBe(0);
  });

  it('a route decides by the recipient, and an OTP may have its own', async () => {
    await storeRoute(fixture.database, [await addTermii('nigeria')], { country: 'NG' });
    await storeRoute(fixture.database, [await addTermii('codes')], { category: 'otp' });
    await worker.providers.refresh();
    await expect(send([recipient, '+447400123456'])).rejects.toMatchObject({
      ...{ status: 503, retryAfter: 60 },
      message: expect.stringContaining('No sms provider is configured for numbers of GB (+44)'),
    });
    const [message = ''] = await send();
    const otp = await fixture.acceptOtp(organisationId, 'Your code is 1234');
    await worker.due(organisationId, [otp], 'otp');
    expect([(await fixture.stored(message)).provider, (await fixture.stored(otp)).provider]).toEqual([
      ...['nigeria', 'codes'],
    ]);
  });

  it('a route decides by the category of the message, in both ways of accepting it', async () => {
    await storeRoute(fixture.database, [await addTermii('bulk')], { category: 'promotional' });
    await worker.providers.refresh();
    const request = { recipients: recipient, content: 'Hello', sender_id: 'Acme' };
    await expect(worker.accept(organisationId, request)).rejects.toMatchObject(refused);
    const { deliveries } = await worker.accept(organisationId, { ...request, category: 'promotional' });
    await worker.due(organisationId, deliveries);
    await storeRoute(fixture.database, [await addTermii('usual')]);
    await worker.providers.refresh();
    const usual = await worker.accept(organisationId, request);
    await worker.idle();
    const ids = [...deliveries, ...usual.deliveries];
    const providers = await Promise.all(ids.map(async (id) => (await fixture.stored(id)).provider));
    expect(providers).toEqual(['bulk', 'usual']);
  });

  describe('by the operator of the recipient', () => {
    const mtn = '+2348031234567';
    const ported = '+2348031234568';
    const glo = '+2348051234567';

    beforeEach(async () => {
      await fixture.database.execute(sql`TRUNCATE registry_import CASCADE`);
      const importId = newId();
      await fixture.database.registryImport.create({
        data: { id: importId, registry: 'ported', mode: 'replace', state: 'active', source: 'test' },
      });
      await fixture.database.portedNumber.create({ data: { phone: ported, importId, operator: 'Airtel' } });
      await storeRoute(fixture.database, [await addTermii('other')]);
      await storeRoute(fixture.database, [await addTermii('mtn')], { operator: 'MTN' });
      await storeRoute(fixture.database, [await addTermii('airtel')], { operator: 'Airtel' });
      await worker.providers.refresh();
    });

    const providersOf = (ids: readonly string[]) =>
      Promise.all(ids.map(async (id) => (await fixture.stored(id)).provider));

    it('the registry of ported numbers decides first, in every way of accepting a message', async () => {
      const alone = [...(await send([mtn])), ...(await send([ported])), ...(await send([glo]))];
      expect(await providersOf(alone)).toEqual(['mtn', 'airtel', 'other']);
      // Claimed when they were inserted.
      expect(worker.announced).toEqual([]);
      const requests = [mtn, ported, glo].map((to) => ({
        data: { recipients: to, content: 'Hello', sender_id: 'Acme' },
        context: newContext({ organisationId }),
      }));
      const taken = worker.messages.takePlain(requests);
      expect([taken.members.length, (await taken.replies).length]).toEqual([3, 3]);
      await worker.idle();
      const together = requests.flatMap(({ context }) => deliveryIdsOf(context.operationId, 1));
      expect(await providersOf(together)).toEqual(['mtn', 'airtel', 'other']);
      const scheduled = await send([mtn, ported, glo]);
      expect(worker.announced).toEqual(scheduled);
      await worker.due(organisationId, scheduled);
      expect(await providersOf(scheduled)).toEqual(['mtn', 'airtel', 'other']);
      const otp = await fixture.acceptOtp(organisationId, 'Your code is 1234', ported);
      await worker.due(organisationId, [otp], 'otp');
      expect(await providersOf([otp])).toEqual(['airtel']);
    });

    it('a retry and the next provider are those of the same route', async () => {
      await fixture.database.execute(sql`TRUNCATE route CASCADE`);
      const [first, next] = [await addTermii('first'), await addTermii('next')];
      const route = await storeRoute(fixture.database, [first, next], { operator: 'Airtel' });
      await storeRoute(fixture.database, [await addTermii('wrong')]);
      await worker.providers.refresh();
      server.behaviour = () => ({ status: 400, message: 'Service temporarily unavailable' });
      const [id = ''] = await send([ported]);
      await fixture.makeDue();
      await worker.sweep();
      const tried = (await fixture.attempts(id)).map(({ provider }) => provider);
      expect(tried).toEqual(['first', 'next', 'first', 'next']);
      expect(await routesOf(id)).toEqual([route, route, route, route]);
    });

    it('without a route for an operator, its numbers are refused by name, and nothing is stored', async () => {
      await fixture.database.execute(sql`DELETE FROM route WHERE operator IS DISTINCT FROM 'MTN'`);
      await worker.providers.refresh();
      const before = await counts();
      const message = expect.stringContaining('Airtel numbers of NG (+234)') as unknown;
      await expect(send([mtn, ported])).rejects.toMatchObject({ status: 503, message });
      await expect(send([ported])).rejects.toMatchObject({ status: 503, message });
      expect(await counts()).toEqual(before);
    });

    it('the registry is read once for many messages, and not at all if no route names an operator', async () => {
      const run = jest.spyOn(fixture.database, 'run');
      const reads = () =>
        (run.mock.calls as unknown as [{ build: (...args: unknown[]) => Sql }, ...unknown[]][]).filter(
          ([statement, ...args]) => statement.build(...args).text.includes('ported_number'),
        ).length;
      const sendTogether = async () => {
        const requests = Array.from({ length: 20 }, (_, index) => ({
          data: { recipients: `+23480312345${10 + index}`, content: 'Hello', sender_id: 'Acme' },
          context: newContext({ organisationId }),
        }));
        const { replies } = worker.messages.takePlain(requests);
        expect(await replies).toHaveLength(20);
        await worker.idle();
      };
      try {
        await send([mtn]);
        run.mockClear();
        await sendTogether();
        expect(reads()).toBe(1);
        const { deliveries } = await fixture.accept(organisationId, { recipients: [mtn, ported, glo] });
        run.mockClear();
        await worker.due(organisationId, deliveries);
        expect(reads()).toBe(1);
        await fixture.database.execute(
          sql`UPDATE route SET operator = NULL, prefix = '1' WHERE operator = 'MTN'`,
        );
        await fixture.database.execute(sql`DELETE FROM route WHERE operator IS NOT NULL`);
        await worker.providers.refresh();
        run.mockClear();
        await sendTogether();
        await worker.due(organisationId, (await fixture.accept(organisationId)).deliveries);
        expect(reads()).toBe(0);
      } finally {
        run.mockRestore();
      }
    });
  });

  it('a provider of an organisation is for this organisation only', async () => {
    const other = await fixture.organisation(100_000_000n, 'live');
    await storeRoute(fixture.database, [await addTermii('own', { organisationId })]);
    await worker.providers.refresh();
    expect(await send()).toHaveLength(1);
    await expect(send([recipient], other)).rejects.toMatchObject(refused);
  });

  it('changes apply with the next refresh; accepted messages wait while no provider can take them', async () => {
    const id = await addTermii();
    await storeRoute(fixture.database, [id]);
    await worker.providers.refresh();
    const before = current();
    await worker.providers.refresh();
    expect(current()).toBe(before);

    const { deliveries } = await fixture.accept(organisationId);
    await fixture.database.provider.update({ where: { id }, data: { enabled: false } });
    await worker.providers.refresh();
    await expect(send()).rejects.toMatchObject(refused);
    await worker.due(organisationId, deliveries);
    expect(await fixture.states(deliveries)).toEqual(['queued']);

    await fixture.database.provider.update({ where: { id }, data: { enabled: true, rate: 5 } });
    await worker.providers.refresh();
    expect(current()).toMatchObject({ rate: 5 });
    await fixture.database.provider.update({ where: { id }, data: { rate: 0 } });
    await worker.providers.refresh();
    await fixture.makeDue();
    await worker.sweep();
    expect(await fixture.states(deliveries)).toEqual(['sent']);
  });

  it('a provider whose secrets cannot be opened is logged and left out', async () => {
    const sealer = new DataSealer([newSealingKey()]);
    await storeRoute(fixture.database, [
      await storeTermii(fixture.database, sealer, 'sealed', { url: server.url, apiKey }),
    ]);
    await worker.providers.refresh();
    await expect(send()).rejects.toMatchObject(refused);
    expect(fixture.output.warnings.join()).toContain('a provider cannot be used');
  });

  it('a refusal is final, an overload is tried again until the validity ends', async () => {
    await storeRoute(fixture.database, [await addTermii()]);
    await worker.providers.refresh();
    server.behaviour = () => ({ status: 400, message: 'Invalid Sender Id' });
    const [bad = ''] = await send();
    expect(await fixture.stored(bad)).toMatchObject({
      state: 'failed',
      code: 'invalid_sender',
      refunded: true,
    });
    const limits = { take: () => Promise.resolve({ allowed: true, remaining: 1, fullInMs: 0, nextInMs: 0 }) };
    worker = fixture.worker({ limits: { limits } as never });
    await worker.providers.refresh();
    server.behaviour = () => ({ status: 429, message: 'Too Many Requests' });
    const [id = ''] = await send();
    expect(await fixture.stored(id)).toMatchObject({ state: 'queued', attempt: 1, refunded: false });
    for (let round = 0; round < 5; round += 1) {
      await fixture.makeDue();
      await worker.sweep();
    }
    server.behaviour = () => 'accept';
    await fixture.makeDue();
    await worker.sweep();
    expect(server.sent).toHaveLength(1);
  });

  it('a message without an answer is not sent again: it waits for its report, and expires', async () => {
    await storeRoute(fixture.database, [await addTermii()]);
    await worker.providers.refresh();
    const id = await sendUnanswered();
    expect(fixture.output.warnings.join()).toContain('they stay charged');
    expect(await worker.registry.metrics()).toContain(
      'gangan_delivery_results_total{provider="termii",outcome="unknown"} 1',
    );
    // As if DELIVERY_VALIDITY was raised: it is due before its validity ends.
    await fixture.makeDue();
    await worker.sweep();
    expect(await fixture.stored(id)).toMatchObject({ state: 'submitting', attempt: 1, refunded: false });
    expect(server.sent).toHaveLength(1);
    await fixture.database.execute(sql`
      UPDATE delivery SET created_at = now() - interval '25 hours', next_attempt_at = now() WHERE id = ${id}::uuid`);
    await worker.sweep();
    expect(await fixture.stored(id)).toMatchObject({ state: 'expired', code: 'no_answer', refunded: false });
    expect(server.sent).toHaveLength(1);
  });

  it('nor if its provider is removed during the call, and added again', async () => {
    const provider = await addTermii();
    await storeRoute(fixture.database, [provider]);
    await worker.providers.refresh();
    let removed: Promise<unknown> | undefined;
    server.behaviour = () => {
      removed ??= fixture.database
        .execute(sql`TRUNCATE provider, route CASCADE`)
        .then(() => worker.providers.refresh());
      return 'hang';
    };
    const sending = send();
    await until('the provider is removed', async () => (await removed) !== undefined);
    await server.stop();
    const [id = ''] = await sending;
    server = await FakeTermii.start(apiKey);
    await storeRoute(fixture.database, [await addTermii()]);
    await worker.providers.refresh();
    const [row] = await fixture.database.query<{ waits: boolean }>(
      sql`SELECT next_attempt_at > now() + interval '23 hours' AS waits FROM delivery WHERE id = ${id}::uuid`,
    );
    expect(row).toEqual({ waits: true });
    await fixture.makeDue();
    await worker.sweep();
    expect(server.requests).toBe(0);
  });

  it('nor after its validity, if the provider was set to `resend` meanwhile', async () => {
    const provider = await addTermii();
    await storeRoute(fixture.database, [provider]);
    await worker.providers.refresh();
    const id = await sendUnanswered();
    await fixture.database.execute(sql`
      UPDATE provider SET settings = settings || '{"unanswered": "resend"}' WHERE id = ${provider}::uuid`);
    await worker.providers.refresh();
    await fixture.endValidityOfOpen([id]);
    await worker.sweep();
    expect(await fixture.stored(id)).toMatchObject({ state: 'expired', attempt: 1 });
    expect(server.sent).toHaveLength(1);
  });

  it('after a crash between the request and its result, it is sent again', async () => {
    const route = await storeRoute(fixture.database, [await addTermii()]);
    await worker.providers.refresh();
    const id = await sendAndCrash();
    expect(await fixture.stored(id)).toMatchObject({ state: 'submitting', attempt: 1 });
    await fixture.makeDue();
    await worker.sweep();
    expect(await fixture.stored(id)).toMatchObject({ state: 'sent', attempt: 2 });
    expect(await fixture.attempts(id)).toEqual([
      { provider: 'termii', outcome: null },
      { provider: 'termii', outcome: 'accepted' },
    ]);
    expect(await routesOf(id)).toEqual([null, route]);
    expect(server.sent).toHaveLength(2);
  });

  it.each<[string, (id: string, other: string) => Promise<unknown>]>([
    ['disabled', (id) => fixture.database.provider.update({ where: { id }, data: { enabled: false } })],
    ['removed', () => fixture.database.execute(sql`TRUNCATE provider, route CASCADE`)],
    [
      'given to another organisation',
      (id, other) => {
        const sealed = sealSecrets(worker.sealer, { id, organisationId: other }, { api_key: apiKey });
        const data = { organisationId: other, sealedSecrets: sealed && Uint8Array.from(sealed) };
        return fixture.database.provider.update({ where: { id }, data });
      },
    ],
    [
      'for another channel',
      (id) => fixture.database.provider.update({ where: { id }, data: { channels: ['whatsapp'] } }),
    ],
  ])('but not if the provider is %s: it waits, and expires', async (_, change) => {
    const provider = await addTermii();
    await storeRoute(fixture.database, [provider]);
    await worker.providers.refresh();
    const [crashed, unanswered] = [await sendAndCrash(), await sendUnanswered()];
    const requests = server.requests;
    await change(provider, await fixture.organisation(0n, 'live'));
    await worker.providers.refresh();
    await fixture.makeDue();
    await worker.sweep();
    expect(await fixture.states([crashed, unanswered])).toEqual(['submitting', 'submitting']);
    await fixture.endValidityOfOpen();
    await worker.sweep();
    expect(await fixture.states([crashed, unanswered])).toEqual(['expired', 'expired']);
    expect(server.requests).toBe(requests);
  });

  it('with `unanswered: resend` it is sent again', async () => {
    await storeRoute(fixture.database, [await addTermii('termii', { settings: { unanswered: 'resend' } })]);
    await worker.providers.refresh();
    const id = await sendUnanswered();
    await fixture.makeDue();
    await worker.sweep();
    expect(await fixture.stored(id)).toMatchObject({ state: 'sent', attempt: 2 });
    expect(server.sent).toHaveLength(2);
  });

  it('if a provider dies, the next one of the route takes over; none is lost, and none is sent twice', async () => {
    const next = await FakeTermii.start(apiKey);
    try {
      const first = await addTermii('first');
      await storeRoute(fixture.database, [first, await addTermii('second', { url: next.url })]);
      await worker.providers.refresh();
      let handled = 0;
      server.behaviour = () => {
        handled += 1;
        if (handled === 100) setImmediate(() => void server.stop());
        return 'accept';
      };
      const numbers = Array.from({ length: 400 }, (_, index) => `+23480312${String(index).padStart(5, '0')}`);
      const chunks = [0, 100, 200, 300].map((from) => numbers.slice(from, from + 100));
      const ids = (
        await Promise.all(
          chunks.map((own) =>
            worker.accept(organisationId, {
              ...{ recipients: own.join(','), content: 'Hello', sender_id: 'Acme' },
            }),
          ),
        )
      ).flatMap(({ deliveries }) => deliveries);
      await worker.idle();
      for (let round = 0; round < 3; round += 1) {
        await fixture.database.execute(
          sql`UPDATE delivery SET next_attempt_at = now() WHERE state = 'queued'`,
        );
        await worker.sweep();
      }
      const states = await fixture.states(ids);
      const unknown = ids.filter((_, index) => states[index] === 'submitting');
      // No more than were in flight when the first provider died.
      expect(unknown.length).toBeLessThanOrEqual(50);
      expect(states.filter((state) => state === 'sent')).toHaveLength(400 - unknown.length);
      const sent = [...server.sent, ...next.sent].map(({ to }) => to);
      expect(new Set(sent).size).toBe(sent.length);
      expect(sent.length).toBeGreaterThanOrEqual(400 - unknown.length);
      expect(next.sent.length).toBeGreaterThan(200);
      server = await FakeTermii.start(apiKey);
    } finally {
      await next.stop();
    }
  });
});
