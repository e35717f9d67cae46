import { type SenderStatus, sql } from '@gangan/database';
import { newContext, newId } from '@gangan/protocol';
import { FakeTermii } from '@gangan/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DeliveryFixture } from './support/delivery-fixture.js';
import type { DeliveryWorker } from './support/delivery-worker.js';
import { storeRoute, storeTermii } from './support/stored-providers.js';

const apiKey = 'termii-key';
const recipient = '+2348031234567';

describe('senders that are registered at providers', () => {
  let fixture: DeliveryFixture;
  let server: FakeTermii;
  let other: FakeTermii;
  let worker: DeliveryWorker;
  let organisationId: string;

  beforeAll(async () => {
    fixture = await DeliveryFixture.open();
  });
  afterAll(() => fixture.close());
  beforeEach(async () => {
    await fixture.database.execute(sql`TRUNCATE provider, route, route_target, sender_registration CASCADE`);
    [server, other] = [await FakeTermii.start(apiKey), await FakeTermii.start(apiKey)];
    worker = fixture.worker();
    organisationId = await fixture.organisation(100_000_000n, 'live');
    const strict = await storeTermii(fixture.database, worker.sealer, 'strict', { url: server.url, apiKey });
    const second = await storeTermii(fixture.database, worker.sealer, 'second', { url: other.url, apiKey });
    await fixture.database.provider.updateMany({ data: { registeredSenders: true } });
    await storeRoute(fixture.database, [strict, second]);
    await worker.providers.refresh();
  });
  afterEach(async () => {
    await server.stop();
    await other.stop();
  });

  const register = async (
    provider: string,
    status: SenderStatus,
    own: { sender?: string; originator?: string } = {},
  ) => {
    const sender = own.sender ?? 'Acme';
    const { originator = null } = own;
    await fixture.database.execute(sql`
      INSERT INTO sender_registration (id, provider, sender, originator, status)
      VALUES (${newId()}::uuid, ${provider}, ${sender}, ${originator}, ${status}::sender_status)
      ON CONFLICT (provider, sender, organisation_id) DO UPDATE SET status = excluded.status`);
    await worker.providers.refresh();
  };
  const send = async (request: object = {}) => {
    const { deliveries } = await worker.accept(organisationId, {
      ...{ recipients: recipient, content: 'Hello', sender_id: 'Acme', ...request },
    });
    await worker.idle();
    return deliveries;
  };
  const refused = {
    status: 400,
    fields: [{ field: 'sender_id', type: 'sender_not_approved', message: expect.stringContaining('Acme') }],
  };

  it('are refused before anything is charged or stored, on both paths', async () => {
    const counts = () =>
      fixture.database.query(
        sql`SELECT count(*)::int AS count FROM message UNION ALL SELECT count(*)::int FROM ledger_entry`,
      );
    const before = await counts();
    const takePlain = () => {
      const data = { recipients: recipient, content: 'Hello', sender_id: 'Acme' };
      return worker.messages.takePlain([{ data, context: newContext({ organisationId }) }] as never);
    };
    await expect(send()).rejects.toMatchObject(refused);
    // The rules and prices are in memory now. The plain path leaves the request to the other one, which refuses it.
    expect(takePlain().members).toEqual([]);
    await expect(send({ recipients: `${recipient},+2348031234568` })).rejects.toMatchObject(refused);
    expect([await counts(), await fixture.available(organisationId)]).toEqual([before, 100_000_000n]);
    await register('strict', 'pending');
    await expect(send()).rejects.toMatchObject(refused);
    await register('strict', 'approved');
    const [id = ''] = await send();
    expect(await fixture.stored(id)).toMatchObject({ state: 'sent', provider: 'strict', attempt: 1 });
    const { members, replies } = takePlain();
    expect([members.length, await replies]).toMatchObject([1, [{ sender_id: 'Acme' }]]);
    await worker.idle();
    expect(server.sent).toHaveLength(2);
  });

  it('skip a provider that does not allow them', async () => {
    await register('second', 'approved');
    const [id = ''] = await send();
    expect(await fixture.attempts(id)).toEqual([{ provider: 'second', outcome: 'accepted' }]);
    expect([server.requests, other.sent.length]).toEqual([0, 1]);
  });

  it('are sent in the form that is registered', async () => {
    await register('strict', 'approved', { originator: '23470000' });
    await register('second', 'approved', { originator: 'AcmeLtd' });
    server.behaviour = () => ({ status: 400, message: 'Service temporarily unavailable' });
    const [id = ''] = await send();
    await fixture.makeDue();
    await worker.sweep();
    expect(await fixture.attempts(id)).toMatchObject([{ provider: 'strict' }, { provider: 'second' }]);
    expect(other.sent).toMatchObject([{ from: 'AcmeLtd' }]);
    server.behaviour = () => 'accept';
    await send();
    expect(server.sent).toMatchObject([{ from: '23470000' }]);
  });

  it('that lose their approval after the acceptance go to the next provider, or wait', async () => {
    await register('strict', 'approved', { sender: 'Sender' });
    await register('second', 'approved', { sender: 'Sender' });
    const messages = [await fixture.accept(organisationId), await fixture.accept(organisationId)];
    const [[first = ''] = [], [second = ''] = []] = messages.map(({ deliveries }) => deliveries);
    await register('strict', 'rejected', { sender: 'Sender' });
    await worker.due(organisationId, [first]);
    expect(await fixture.stored(first)).toMatchObject({ state: 'sent', provider: 'second' });
    await register('second', 'rejected', { sender: 'Sender' });
    await worker.due(organisationId, [second]);
    expect(await fixture.stored(second)).toMatchObject({ state: 'queued', attempt: 0 });
    await register('strict', 'approved', { sender: 'Sender' });
    await fixture.makeDue();
    await worker.sweep();
    expect(await fixture.stored(second)).toMatchObject({ state: 'sent', provider: 'strict' });
    expect(server.sent).toHaveLength(1);

    const { deliveries } = await fixture.accept(organisationId);
    await register('strict', 'rejected', { sender: 'Sender' });
    await fixture.endValidityOfOpen(deliveries);
    await worker.sweep();
    expect(await fixture.stored(deliveries[0] ?? '')).toMatchObject({
      ...{ state: 'failed', code: 'no_provider', refunded: true },
    });
    await fixture.expectCleanLedger();
  });

  it('are checked once more before the call: a registration may change after the claim', async () => {
    await register('strict', 'approved');
    const claim = worker.insertClaims.claim.bind(worker.insertClaims);
    let submitted = Promise.resolve();
    worker.insertClaims.claim = (message) => {
      const claimed = claim(message);
      return (
        claimed && {
          ...claimed,
          submit: (at) => {
            submitted = register('strict', 'rejected').then(() => {
              claimed.submit(at);
            });
          },
        }
      );
    };
    const [id = ''] = await send();
    await submitted;
    await worker.idle();
    await register('second', 'approved');
    await fixture.makeDue();
    await worker.sweep();
    expect(server.requests).toBe(0);
    expect(await fixture.stored(id)).toMatchObject({ state: 'sent', provider: 'second' });
  });

  it('of OTPs are the default sender of the organisation', async () => {
    const otp = await fixture.acceptOtp(organisationId, 'Your code is 1234');
    await worker.due(organisationId, [otp], 'otp');
    expect(await fixture.states([otp])).toEqual(['queued']);
    const { defaultSender: sender } = await fixture.database.organisation.findUniqueOrThrow({
      where: { id: organisationId },
    });
    await register('second', 'approved', { sender });
    await fixture.makeDue();
    await worker.sweep();
    expect(await fixture.stored(otp)).toMatchObject({ state: 'sent', provider: 'second' });
    expect(other.sent).toMatchObject([{ from: sender }]);
  });

  it('are not checked for test organisations, which use the simulator', async () => {
    organisationId = await fixture.organisation();
    const [id = ''] = await send();
    expect(await fixture.stored(id)).toMatchObject({ provider: 'simulator' });
  });
});
