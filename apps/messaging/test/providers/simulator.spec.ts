import { type PlayInboundRequest, simulatedNumber } from '@gangan/contracts';
import { findUsage, setLimits } from '@gangan/database';
import { newContext } from '@gangan/protocol';
import { anEndpoint, aWaitingCallback } from '@gangan/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { InboxService } from '../../src/inbox/inbox.service.js';
import { SimulatorService } from '../../src/simulator/simulator.service.js';
import { WindowRecorder } from '../../src/windows/window-recorder.js';
import { DeliveryFixture } from '../support/delivery-fixture.js';
import type { DeliveryWorker } from '../support/delivery-worker.js';

describe('a simulated incoming message', () => {
  const fixture = DeliveryFixture.use();
  let organisationId: string;
  let worker: DeliveryWorker;
  let inbox: InboxService;
  beforeEach(async () => {
    organisationId = await fixture.organisation();
    worker = await fixture.worker();
    worker.get(WindowRecorder).onModuleInit();
    inbox = worker.get(InboxService);
  });

  const play = (change: Partial<PlayInboundRequest> = {}, context = newContext({ organisationId })) =>
    worker.get(SimulatorService).playInbound({ from: '0803 123 4567', text: 'Hello', ...change }, context);

  it('appears once in the inbox, and is sent to endpoints once', async () => {
    await anEndpoint(fixture.database, organisationId, { events: ['message.received'] });
    const context = newContext({ organisationId });
    const played = await play({}, context);
    expect(played).toEqual({
      ...{ id: expect.any(String), channel: 'sms', number: simulatedNumber, sender: '+2348031234567' },
      ...{ type: 'text', text: 'Hello', received_datetime: expect.any(String) },
    });
    expect(await inbox.find({ id: played.id }, newContext({ organisationId }))).toEqual(played);
    // The queue runs the request again.
    expect(await play({}, context)).toEqual(played);
    const callbacks = await fixture.database.callback.findMany({ where: { organisationId } });
    expect(callbacks.map(({ type, resourceId }) => [type, resourceId])).toEqual([
      ['message.received', played.id],
    ]);
  });

  it('is rejected while too many callbacks wait, if an endpoint receives one of its events', async () => {
    const context = newContext({ organisationId });
    await aWaitingCallback(fixture.database, organisationId);
    await setLimits(fixture.database, organisationId, { waitingCallbacks: 1 });
    const played = await play({}, context);
    await anEndpoint(fixture.database, organisationId, { events: ['recipient.opted_out'] });
    // The other worker counts again in a few seconds.
    worker = await fixture.worker();
    await expect(play()).rejects.toMatchObject({ status: 429, code: 'too_many_callbacks' });
    expect(await fixture.database.incomingMessage.count({ where: { organisationId } })).toBe(1);
    // The queue runs the request again.
    expect(await play({}, context)).toEqual(played);
  });

  it('is rejected when the organisation has as many as it may store', async () => {
    const context = newContext({ organisationId });
    await setLimits(fixture.database, organisationId, { simulatedMessages: 2 });
    const played = await play({}, context);
    await play();
    // The other worker counts again in a few seconds.
    worker = await fixture.worker();
    await expect(play()).rejects.toMatchObject({
      status: 403,
      code: 'quota_exceeded',
      fields: [{ field: 'simulated_messages', message: expect.stringContaining('90 days') }],
    });
    const [usage] = await fixture.database.run(findUsage, organisationId);
    expect(usage).toMatchObject({ simulatedMessages: 2 });
    // The queue runs the request again.
    expect(await play({}, context)).toEqual(played);
    await setLimits(fixture.database, organisationId, { simulatedMessages: 0 });
    worker = await fixture.worker();
    await play();
  });

  it('goes to the given number, or to the first of the organisation', async () => {
    const number = { organisationId, channel: 'sms', createdAt: new Date(0) } as const;
    await fixture.database.inboundNumber.create({
      data: { ...number, number: '22347', createdAt: new Date() },
    });
    await fixture.database.inboundNumber.create({ data: { ...number, number: '+2348001234567' } });
    expect((await play()).number).toBe('+2348001234567');
    expect((await play({ channel: 'whatsapp' })).number).toBe(simulatedNumber);
    expect((await play({ to: '0800 999 9999' })).number).toBe('+2348009999999');
    expect((await play({ to: '22345' })).number).toBe('22345');
    await expect(play({ to: 'Acme' })).rejects.toMatchObject({
      status: 400,
      fields: [{ field: 'to', type: 'phone' }],
    });
  });

  it('is rejected for live organisations, and not stored', async () => {
    organisationId = await fixture.organisation(0n, 'live');
    await expect(play()).rejects.toMatchObject({ status: 403, message: expect.stringContaining('sk_test_') });
    expect(await fixture.database.incomingMessage.count({ where: { organisationId } })).toBe(0);
  });

  it('opens the window of the simulator', async () => {
    const recipients = '+2347000000008';
    const send = () =>
      worker.messages.send(
        { recipients, channel: 'whatsapp', content: 'Hello' },
        newContext({ organisationId }),
      );
    await expect(send()).rejects.toMatchObject({ status: 400, fields: [{ type: 'window_closed' }] });
    await play({ from: recipients });
    await expect(send()).rejects.toMatchObject({ status: 400 });
    await play({ from: recipients, channel: 'whatsapp' });
    expect((await send()).recipients).toEqual([recipients]);
  });
});
