import { systemClock } from '@gangan/contracts';
import { sql } from '@gangan/database';
import { dueNow } from '@gangan/leases';
import { sealSecrets } from '@gangan/providers';
import { masterSealer, newSealingKey } from '@gangan/sealing';
import { type FakeTermii, until } from '@gangan/testing';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { apiKey, LiveFixture } from '../support/live-fixture.js';
import { storeTermii, type TermiiOptions } from '../support/stored-providers.js';

describe('providers and routes of live organisations', () => {
  const live = LiveFixture.use();
  const { fixture } = live;
  let server: FakeTermii;
  beforeEach(async () => {
    server = await live.serveTermii();
  });

  const addTermii = (name = 'termii', options: Partial<TermiiOptions> = {}) =>
    live.add(name, server, options);
  const current = () =>
    live.worker.providers.findUsable('termii', {
      organisationId: live.organisationId,
      mode: 'live',
      channel: 'sms',
      sender: 'Acme',
    });
  /** The provider has the message, and its answer is lost. */
  const sendUnanswered = async (): Promise<string> => {
    server.behaviour = () => 'lost';
    const [id = ''] = await live.send();
    server.behaviour = () => 'accept';
    return id;
  };
  /** The worker dies after the request, before it stores the outcome. */
  const sendAndCrash = async (): Promise<string> => {
    const { deliveries } = await fixture.accept(live.organisationId);
    const dying = await fixture.worker();
    await dying.providers.refresh();
    dying.outcomes.record = () => Promise.reject(new Error('the worker died'));
    await dying.due(live.organisationId, deliveries);
    return deliveries[0] ?? '';
  };
  const refused = {
    status: 503,
    message: expect.stringContaining('ask the operator to add a provider and a route'),
  };

  it('are needed to accept messages, which are then submitted at once', async () => {
    await live.worker.providers.refresh();
    const before = await live.counts();
    await expect(live.send()).rejects.toMatchObject(refused);
    expect([await live.counts(), await fixture.available(live.organisationId)]).toEqual([
      before,
      100_000_000n,
    ]);
    const route = await live.route([await addTermii()]);
    const [id = ''] = await live.send();
    expect(await fixture.stored(id)).toMatchObject({ state: 'sent', provider: 'termii', attempt: 1 });
    expect(await live.routesOf(id)).toEqual([route]);
    expect(server.sent).toMatchObject([{ to: '2348031234567', from: 'Acme', sms: 'Hello' }]);
    const [row] = await fixture.database.query<{ reference: string }>(
      sql`SELECT provider_reference AS reference FROM delivery WHERE id = ${id}::uuid`,
    );
    expect(row?.reference).toMatch(/^\d+$/);
  });

  it('are not used by test organisations, which use the simulator', async () => {
    await live.route([await addTermii()]);
    live.organisationId = await fixture.organisation();
    const [id = ''] = await live.send();
    expect(await fixture.stored(id)).toMatchObject({ provider: 'simulator' });
    expect(server.requests).toBe(0);
  });

  it('are chosen by the recipient; OTPs may have their own', async () => {
    await live.route([await addTermii('nigeria')], { country: 'NG' });
    await live.route([await addTermii('codes')], { category: 'otp' });
    await expect(live.send({ recipients: '+2348031234567,+447400123456' })).rejects.toMatchObject({
      status: 503,
      retryAfter: 60,
      message: expect.stringContaining('No sms provider is configured for numbers of GB (+44)'),
    });
    const [message = ''] = await live.send();
    const otp = await fixture.acceptOtp(live.organisationId, 'Your code is 1234');
    await live.due([otp], 'otp');
    expect([(await fixture.stored(message)).provider, (await fixture.stored(otp)).provider]).toEqual([
      'nigeria',
      'codes',
    ]);
  });

  it('are chosen by the category of the message, in both ways of accepting it', async () => {
    await live.route([await addTermii('bulk')], { category: 'promotional' });
    await expect(live.send()).rejects.toMatchObject(refused);
    // Not in the quiet hours of Nigeria.
    const clock = jest.spyOn(systemClock, 'now').mockReturnValue(new Date('2026-11-17T12:00:00+01:00'));
    const promotional = await live.send({ category: 'promotional' });
    await live.due(promotional);
    clock.mockRestore();
    await live.route([await addTermii('usual')]);
    const ids = [...promotional, ...(await live.send())];
    const providers = await Promise.all(ids.map(async (id) => (await fixture.stored(id)).provider));
    expect(providers).toEqual(['bulk', 'usual']);
  });

  it('are used only by their organisation, if they have one', async () => {
    await live.route([await addTermii('own', { organisationId: live.organisationId })]);
    expect(await live.send()).toHaveLength(1);
    live.organisationId = await fixture.organisation(100_000_000n, 'live');
    await expect(live.send()).rejects.toMatchObject(refused);
  });

  it('change with the next refresh; accepted messages wait while there is no provider', async () => {
    const id = await addTermii();
    await live.route([id]);
    const before = current();
    await live.worker.providers.refresh();
    expect(current()).toBe(before);

    const { deliveries } = await fixture.accept(live.organisationId);
    await fixture.database.provider.update({ where: { id }, data: { enabled: false } });
    await live.worker.providers.refresh();
    await expect(live.send()).rejects.toMatchObject(refused);
    await live.due(deliveries);
    expect(await fixture.states(deliveries)).toEqual(['queued']);

    await fixture.database.provider.update({ where: { id }, data: { enabled: true, rate: 5 } });
    await live.worker.providers.refresh();
    expect(current()).toMatchObject({ rate: 5 });
    await fixture.database.provider.update({ where: { id }, data: { rate: 0 } });
    await live.worker.providers.refresh();
    await live.retry();
    expect(await fixture.states(deliveries)).toEqual(['sent']);
  });

  it('are logged and left out if their secrets cannot be opened', async () => {
    const sealer = masterSealer([newSealingKey()]);
    await live.route([await storeTermii(fixture.database, sealer, 'sealed', { url: server.url, apiKey })]);
    await expect(live.send()).rejects.toMatchObject(refused);
    expect(fixture.output.warnings.join()).toContain('a provider cannot be used');
  });

  it('are logged and left out if a stored pattern cannot be used', async () => {
    await live.route([await addTermii('old', { settings: { answer: { code: { match: '(?=x)(y)' } } } })]);
    await expect(live.send()).rejects.toMatchObject(refused);
    expect(fixture.output.warnings.join()).toContain('a provider cannot be used');
  });

  it('end a message with a refusal, and get it again after an overload until its validity ends', async () => {
    await live.route([await addTermii()]);
    server.behaviour = () => ({ status: 400, message: 'Invalid Sender Id' });
    const [bad = ''] = await live.send();
    expect(await fixture.stored(bad)).toMatchObject({
      state: 'failed',
      code: 'invalid_sender',
      refunded: true,
    });
    const limits = { take: () => Promise.resolve({ allowed: true, remaining: 1, fullInMs: 0, nextInMs: 0 }) };
    live.worker = await fixture.worker({ limits });
    await live.worker.providers.refresh();
    server.behaviour = () => ({ status: 429, message: 'Too Many Requests' });
    const [id = ''] = await live.send();
    expect(await fixture.stored(id)).toMatchObject({ state: 'queued', attempt: 1, refunded: false });
    for (let round = 0; round < 5; round += 1) {
      await live.retry();
    }
    server.behaviour = () => 'accept';
    await live.retry();
    expect(server.sent).toHaveLength(1);
  });

  it('do not get a message again that got no answer: it waits for its report, and expires', async () => {
    await live.route([await addTermii()]);
    const id = await sendUnanswered();
    expect(fixture.output.warnings.join()).toContain('they stay charged');
    expect(await live.worker.registry.metrics()).toContain(
      'gangan_delivery_results_total{provider="termii",outcome="unknown"} 1',
    );
    // As if DELIVERY_VALIDITY was raised: it is due before its validity ends.
    await live.retry();
    expect(await fixture.stored(id)).toMatchObject({ state: 'submitting', attempt: 1, refunded: false });
    expect(server.sent).toHaveLength(1);
    await fixture.database.execute(sql`
      UPDATE delivery SET created_at = now() - interval '25 hours', next_attempt_at = ${dueNow} WHERE id = ${id}::uuid`);
    await live.worker.sweep();
    expect(await fixture.stored(id)).toMatchObject({ state: 'expired', code: 'no_answer', refunded: false });
    expect(server.sent).toHaveLength(1);
  });

  it('never resubmit a message whose provider is removed during the call and added again', async () => {
    const provider = await addTermii();
    await live.route([provider]);
    let removed: Promise<unknown> | undefined;
    server.behaviour = () => {
      removed ??= fixture.database
        .execute(sql`TRUNCATE provider, route CASCADE`)
        .then(() => live.worker.providers.refresh());
      return 'hang';
    };
    const sending = live.send();
    await until('the provider is removed', async () => (await removed) !== undefined);
    await server.stop();
    const [id = ''] = await sending;
    server = await live.serveTermii();
    await live.route([await addTermii()]);
    const [row] = await fixture.database.query<{ waits: boolean }>(
      sql`SELECT next_attempt_at > now() + interval '23 hours' AS waits FROM delivery WHERE id = ${id}::uuid`,
    );
    expect(row).toEqual({ waits: true });
    await live.retry();
    expect(server.requests).toBe(0);
  });

  it('never resubmit a message after its validity, even if the provider was set to `resend`', async () => {
    const provider = await addTermii();
    await live.route([provider]);
    const id = await sendUnanswered();
    await fixture.database.execute(sql`
      UPDATE provider SET settings = settings || '{"unanswered": "resend"}' WHERE id = ${provider}::uuid`);
    await live.worker.providers.refresh();
    await fixture.endValidityOfOpen([id]);
    await live.worker.sweep();
    expect(await fixture.stored(id)).toMatchObject({ state: 'expired', attempt: 1 });
    expect(server.sent).toHaveLength(1);
  });

  it('get a message again after a crash between the request and its result', async () => {
    const route = await live.route([await addTermii()]);
    const id = await sendAndCrash();
    expect(await fixture.stored(id)).toMatchObject({ state: 'submitting', attempt: 1 });
    // The first time it is found that its worker died, and it waits.
    await live.retry();
    await live.retry();
    expect(await fixture.stored(id)).toMatchObject({ state: 'sent', attempt: 2 });
    expect(await fixture.attempts(id)).toEqual([
      { provider: 'termii', outcome: null },
      { provider: 'termii', outcome: 'accepted' },
    ]);
    expect(await live.routesOf(id)).toEqual([null, route]);
    expect(server.sent).toHaveLength(2);
  });

  it.each<[string, (id: string, other: string) => Promise<unknown>]>([
    ['disabled', (id) => fixture.database.provider.update({ where: { id }, data: { enabled: false } })],
    ['removed', () => fixture.database.execute(sql`TRUNCATE provider, route CASCADE`)],
    [
      'given to another organisation',
      (id, other) => {
        const sealed = sealSecrets(
          live.worker.sealer,
          { id, organisationId: other, domains: ['message'] },
          { api_key: apiKey },
        );
        const data = { organisationId: other, sealedSecrets: sealed && Uint8Array.from(sealed) };
        return fixture.database.provider.update({ where: { id }, data });
      },
    ],
    [
      'for another channel',
      (id) => fixture.database.provider.update({ where: { id }, data: { channels: ['whatsapp'] } }),
    ],
  ])(
    'never resubmit a message after a crash if the provider is %s: it waits, and expires',
    async (_, change) => {
      const provider = await addTermii();
      await live.route([provider]);
      const [crashed, unanswered] = [await sendAndCrash(), await sendUnanswered()];
      const requests = server.requests;
      await change(provider, await fixture.organisation(0n, 'live'));
      await live.worker.providers.refresh();
      await live.retry();
      expect(await fixture.states([crashed, unanswered])).toEqual(['submitting', 'submitting']);
      await fixture.endValidityOfOpen();
      await live.worker.sweep();
      expect(await fixture.states([crashed, unanswered])).toEqual(['expired', 'expired']);
      expect(server.requests).toBe(requests);
    },
  );

  it('get a message again that got no answer with `unanswered: resend`', async () => {
    await live.route([await addTermii('termii', { settings: { unanswered: 'resend' } })]);
    const id = await sendUnanswered();
    await live.retry();
    expect(await fixture.stored(id)).toMatchObject({ state: 'sent', attempt: 2 });
    expect(server.sent).toHaveLength(2);
  });
});
