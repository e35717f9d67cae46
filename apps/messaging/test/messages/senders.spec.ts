import { type SenderStatus, sql } from '@gangan/database';
import { newContext, newId } from '@gangan/protocol';
import type { FakeTermii } from '@gangan/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { LiveFixture } from '../support/live-fixture.js';

const recipient = '+2348031234567';

describe('senders that are registered at providers', () => {
  const live = LiveFixture.use();
  const { fixture } = live;
  let server: FakeTermii;
  let other: FakeTermii;
  beforeEach(async () => {
    [server, other] = [await live.serveTermii(), await live.serveTermii()];
    const ids = [await live.add('strict', server), await live.add('second', other)];
    await fixture.database.provider.updateMany({ data: { registeredSenders: true } });
    await live.route(ids);
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
    await live.worker.providers.refresh();
  };
  const refused = {
    status: 400,
    fields: [{ field: 'sender_id', type: 'sender_not_approved', message: expect.stringContaining('Acme') }],
  };

  it('are required before anything is charged or stored, on both paths', async () => {
    const counts = () =>
      fixture.database.query(
        sql`SELECT count(*)::int AS count FROM message UNION ALL SELECT count(*)::int FROM ledger_movement`,
      );
    const before = await counts();
    const takePlain = () => {
      const data = { recipients: recipient, content: 'Hello', sender_id: 'Acme' };
      return live.worker.messages.takePlain([
        { data, context: newContext({ organisationId: live.organisationId }) },
      ] as never);
    };
    await expect(live.send()).rejects.toMatchObject(refused);
    // The rules and prices are in memory now. The plain path leaves the request to the other one, which refuses it.
    expect(await takePlain().replies).toEqual([undefined]);
    await expect(live.send({ recipients: `${recipient},+2348031234568` })).rejects.toMatchObject(refused);
    expect([await counts(), await fixture.available(live.organisationId)]).toEqual([before, 100_000_000n]);
    await register('strict', 'pending');
    await expect(live.send()).rejects.toMatchObject(refused);
    await register('strict', 'approved');
    const [id = ''] = await live.send();
    expect(await fixture.stored(id)).toMatchObject({ state: 'sent', provider: 'strict', attempt: 1 });
    const { members, replies } = takePlain();
    expect([members.length, await replies]).toMatchObject([1, [{ sender_id: 'Acme' }]]);
    await live.worker.idle();
    expect(server.sent).toHaveLength(2);
  });

  it('decide which providers are skipped', async () => {
    await register('second', 'approved');
    const [id = ''] = await live.send();
    expect(await fixture.attempts(id)).toEqual([{ provider: 'second', outcome: 'accepted' }]);
    expect([server.requests, other.sent.length]).toEqual([0, 1]);
  });

  it('are sent in the form that is registered', async () => {
    await register('strict', 'approved', { originator: '23470000' });
    await register('second', 'approved', { originator: 'AcmeLtd' });
    server.behaviour = () => ({ status: 400, message: 'Service temporarily unavailable' });
    const [id = ''] = await live.send();
    await live.retry();
    expect(await fixture.attempts(id)).toMatchObject([{ provider: 'strict' }, { provider: 'second' }]);
    expect(other.sent).toMatchObject([{ from: 'AcmeLtd' }]);
    server.behaviour = () => 'accept';
    await live.send();
    expect(server.sent).toMatchObject([{ from: '23470000' }]);
  });

  it('that lose their approval after the acceptance go to the next provider, or wait', async () => {
    await register('strict', 'approved', { sender: 'Sender' });
    await register('second', 'approved', { sender: 'Sender' });
    const messages = [await fixture.accept(live.organisationId), await fixture.accept(live.organisationId)];
    const [[first = ''] = [], [second = ''] = []] = messages.map(({ deliveries }) => deliveries);
    await register('strict', 'rejected', { sender: 'Sender' });
    await live.due([first]);
    expect(await fixture.stored(first)).toMatchObject({ state: 'sent', provider: 'second' });
    await register('second', 'rejected', { sender: 'Sender' });
    await live.due([second]);
    expect(await fixture.stored(second)).toMatchObject({ state: 'queued', attempt: 0 });
    await register('strict', 'approved', { sender: 'Sender' });
    await live.retry();
    expect(await fixture.stored(second)).toMatchObject({ state: 'sent', provider: 'strict' });
    expect(server.sent).toHaveLength(1);

    const { deliveries } = await fixture.accept(live.organisationId);
    await register('strict', 'rejected', { sender: 'Sender' });
    await fixture.endValidityOfOpen(deliveries);
    await live.worker.sweep();
    expect(await fixture.stored(deliveries[0] ?? '')).toMatchObject({
      state: 'failed',
      code: 'no_provider',
      refunded: true,
    });
    await fixture.expectCleanLedger();
  });

  it('are checked once more before the call: a registration may change after the claim', async () => {
    await register('strict', 'approved');
    const claim = live.worker.insertClaims.claim.bind(live.worker.insertClaims);
    let submitted = Promise.resolve();
    live.worker.insertClaims.claim = (message) => {
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
    const [id = ''] = await live.send();
    await submitted;
    await live.worker.idle();
    await register('second', 'approved');
    await live.retry();
    expect(server.requests).toBe(0);
    expect(await fixture.stored(id)).toMatchObject({ state: 'sent', provider: 'second' });
  });

  it('include the default sender of the organisation for OTPs', async () => {
    const otp = await fixture.acceptOtp(live.organisationId, 'Your code is 1234');
    await live.due([otp], 'otp');
    expect(await fixture.states([otp])).toEqual(['queued']);
    const { defaultSender: sender } = await fixture.database.organisation.findUniqueOrThrow({
      where: { id: live.organisationId },
    });
    await register('second', 'approved', { sender });
    await live.retry();
    expect(await fixture.stored(otp)).toMatchObject({ state: 'sent', provider: 'second' });
    expect(other.sent).toMatchObject([{ from: sender }]);
  });

  it('are not checked for test organisations, which use the simulator', async () => {
    live.organisationId = await fixture.organisation();
    const [id = ''] = await live.send();
    expect(await fixture.stored(id)).toMatchObject({ provider: 'simulator' });
  });
});
