import type { CallbackAnnouncer } from '@gangan/callbacks';
import { type Channel, setLimits } from '@gangan/database';
import { type MessageCategory } from '@gangan/contracts';
import { AppError, newContext } from '@gangan/protocol';
import { anEndpoint, aWaitingCallback } from '@gangan/testing';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { MessagingConfig } from '../../src/messaging.config.js';
import { OptOutsRepository } from '../../src/opt-outs/opt-outs.repository.js';
import { OptOutsService } from '../../src/opt-outs/opt-outs.service.js';
import { DeliveryFixture, price } from '../support/delivery-fixture.js';
import { ScriptedProvider } from '../support/scripted-provider.js';

const start = 1_000_000n;
const [gone, other] = ['+2348030000011', '+2348030000012'];

describe('opt-outs', () => {
  const fixture = DeliveryFixture.use();
  let service: OptOutsService;
  let organisationId: string;
  const announced: string[] = [];
  beforeAll(() => {
    const config = { DEFAULT_REGION: 'NG' } as MessagingConfig;
    const announce = (ids: readonly string[]) => Promise.resolve(void announced.push(...ids));
    const callbacks = { announce } as unknown as CallbackAnnouncer;
    service = new OptOutsService(new OptOutsRepository(fixture.database), config, callbacks);
  });
  beforeEach(async () => {
    organisationId = await fixture.organisation(start);
  });

  const mine = () => newContext({ organisationId });
  const phones = async (filter = {}) =>
    (await service.list(filter, mine())).opt_outs.map(({ phone, channel }) => `${channel} ${phone}`);

  it('are added once in any notation, listed, filtered and removed', async () => {
    const added = await service.add({ phone: '0803 000 0011' }, mine());
    expect(added).toEqual({
      id: expect.any(String),
      phone: gone,
      channel: 'sms',
      source: 'api',
      created_datetime: expect.any(String),
    });
    expect(await service.add({ phone: gone, channel: 'sms' }, mine())).toEqual(added);
    await service.add({ phone: gone, channel: 'whatsapp' }, mine());
    await service.add({ phone: other }, mine());
    expect(await phones()).toEqual([`sms ${other}`, `whatsapp ${gone}`, `sms ${gone}`]);
    expect(await phones({ phone: '08030000011' })).toEqual([`whatsapp ${gone}`, `sms ${gone}`]);
    expect(await phones({ channel: 'whatsapp' })).toEqual([`whatsapp ${gone}`]);
    expect(await service.remove({ id: added.id }, mine())).toEqual(added);
    expect(await phones({ phone: gone })).toEqual([`whatsapp ${gone}`]);
    await expect(service.remove({ id: added.id }, mine())).rejects.toThrow(AppError);
  });

  it('are added once by concurrent requests', async () => {
    const added = await Promise.all(Array.from({ length: 20 }, () => service.add({ phone: gone }, mine())));
    expect(new Set(added.map(({ id }) => id)).size).toBe(1);
  });

  it('are accepted while too many callbacks wait', async () => {
    await aWaitingCallback(fixture.database, organisationId);
    await setLimits(fixture.database, organisationId, { waitingCallbacks: 1 });
    await anEndpoint(fixture.database, organisationId, { events: ['recipient.opted_out'] });
    await service.add({ phone: gone }, mine());
    expect(await phones()).toEqual([`sms ${gone}`]);
  });

  it('belong to one organisation', async () => {
    const { id } = await service.add({ phone: gone }, mine());
    organisationId = await fixture.organisation(start);
    expect(await phones()).toEqual([]);
    await expect(service.remove({ id }, mine())).rejects.toMatchObject({ status: 404 });
  });

  it('are reported to endpoints once, when they are new', async () => {
    const endpointId = await anEndpoint(fixture.database, organisationId, {
      events: ['recipient.opted_out'],
    });
    await anEndpoint(fixture.database, organisationId, { events: ['message.sent'] });
    const context = mine();
    const added = await service.add({ phone: gone }, context);
    await service.add({ phone: gone }, context);
    await Promise.all(Array.from({ length: 10 }, () => service.add({ phone: gone }, mine())));
    const where = { organisationId };
    const stored = await fixture.database.callback.findMany({ where });
    expect(stored).toMatchObject([{ endpointId, resourceId: added.id, requestId: context.requestId }]);
    expect(JSON.parse(stored[0]?.body ?? '')).toEqual({
      type: 'recipient.opted_out',
      timestamp: added.created_datetime,
      data: added,
    });
    expect(announced).toContain(stored[0]?.id);
    await service.remove({ id: added.id }, mine());
    expect(await fixture.database.callback.count({ where })).toBe(1);
    await service.add({ phone: gone }, mine());
    expect(await fixture.database.callback.count({ where })).toBe(2);
  });

  const send = async (category: MessageCategory, channel: Channel = 'sms') => {
    const worker = await fixture.worker({ named: [new ScriptedProvider()] });
    const request = { recipients: `${gone},${other}`, content: 'Hello', category, channel };
    const { deliveries } = await worker.accept(organisationId, request);
    await worker.idle();
    await worker.due(organisationId, deliveries);
    return fixture.states(deliveries);
  };

  it('stop promotional messages on their channel, which are refunded, and no others', async () => {
    await service.add({ phone: gone }, mine());
    expect(await send('transactional')).toEqual(['sent', 'sent']);
    expect(await send('promotional', 'whatsapp')).toEqual(['sent', 'sent']);
    const before = await fixture.available(organisationId);
    expect(await send('promotional')).toEqual(['rejected', 'sent']);
    expect(await fixture.available(organisationId)).toBe(before - price);
    await service.add({ phone: gone, channel: 'whatsapp' }, mine());
    expect(await send('promotional', 'whatsapp')).toEqual(['rejected', 'sent']);
    const otp = await fixture.acceptOtp(organisationId, '1234', gone);
    await (await fixture.worker({ named: [new ScriptedProvider()] })).due(organisationId, [otp], 'otp');
    expect(await fixture.states([otp])).toEqual(['sent']);
    await fixture.expectCleanLedger();
  });

  it('of other organisations have no effect', async () => {
    await service.add({ phone: gone }, mine());
    organisationId = await fixture.organisation(start);
    expect(await send('promotional')).toEqual(['sent', 'sent']);
  });

  it('are the reason of rejected deliveries', async () => {
    await service.add({ phone: gone }, mine());
    const worker = await fixture.worker({ named: [new ScriptedProvider()] });
    const request = { recipients: gone, content: 'Hello', category: 'promotional' } as const;
    const { deliveries } = await worker.accept(organisationId, request);
    await worker.due(organisationId, deliveries);
    expect(await fixture.stored(deliveries[0] ?? '')).toMatchObject({ refunded: true, code: 'opted_out' });
  });
});
