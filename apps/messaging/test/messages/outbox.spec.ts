import type { ListOutboxRequest } from '@gangan/contracts';
import { sql } from '@gangan/database';
import { Retention } from '@gangan/leases';
import { newContext } from '@gangan/protocol';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { SimulatorService } from '../../src/simulator/simulator.service.js';
import { DeliveryFixture } from '../support/delivery-fixture.js';
import type { DeliveryWorker } from '../support/delivery-worker.js';

describe('the outbox of the simulator', () => {
  const fixture = DeliveryFixture.use();
  let organisationId: string;
  let worker: DeliveryWorker;
  beforeEach(async () => {
    organisationId = await fixture.organisation();
    worker = await fixture.worker();
  });

  const list = (request: ListOutboxRequest = {}, owner = organisationId) =>
    worker.get(SimulatorService).listOutbox(request, newContext({ organisationId: owner }));
  const send = (request: object) =>
    worker.messages.send(
      { recipients: '08031234567', content: 'Hello', ...request },
      newContext({ organisationId }),
    );

  it('lists messages newest first, by recipient and channel, and page by page', async () => {
    const first = await send({ content: 'One' });
    await worker.idle();
    const second = await send({ recipients: '08031234568', content: 'Two', channel: 'whatsapp' });
    await worker.idle();
    const { messages } = await list();
    expect(messages).toMatchObject([
      { message_id: second.id, channel: 'whatsapp', recipient: '+2348031234568', text: 'Two' },
      { message_id: first.id, channel: 'sms', recipient: '+2348031234567', text: 'One', outcome: 'accepted' },
    ]);
    expect(messages[1]).not.toHaveProperty('otp_id');
    expect((await list({ recipient: '0803 123 4567' })).messages).toEqual([messages[1]]);
    expect((await list({ channel: 'whatsapp' })).messages).toEqual([messages[0]]);
    const page = await list({ limit: 1 });
    expect(page.messages).toEqual([messages[0]]);
    const { next } = page.meta.pagination;
    expect((await list({ limit: 1, ...(next !== undefined && { before: next }) })).messages).toEqual([
      messages[1],
    ]);
  });

  it('shows the text of an OTP, which is stored only sealed', async () => {
    const id = await fixture.acceptOtp(organisationId, 'Your code is 73519604');
    await worker.due(organisationId, [id], 'otp');
    expect((await list()).messages).toMatchObject([{ otp_id: id, text: 'Your code is 73519604' }]);
    const rows = await fixture.database.query<{ row: string }>(
      sql`SELECT outbox_message::text AS row FROM outbox_message WHERE organisation_id = ${organisationId}::uuid`,
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.row).not.toContain(Buffer.from('73519604').toString('hex'));
  });

  it('belongs to its organisation, and is refused for live organisations', async () => {
    await send({});
    await worker.idle();
    expect((await list({}, await fixture.organisation())).messages).toEqual([]);
    const live = await fixture.organisation(0n, 'live');
    await expect(list({}, live)).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining('sk_test_'),
      fields: [{ type: 'test_only' }],
    });
  });

  it('shows and keeps messages for an hour', async () => {
    await send({});
    await worker.idle();
    const { messages } = await list();
    // An id that begins with an earlier time.
    await fixture.database.execute(sql`
      UPDATE outbox_message SET id = ('01900000' || right(id::text, 28))::uuid
      WHERE organisation_id = ${organisationId}::uuid`);
    expect(messages).toHaveLength(1);
    expect((await list()).messages).toEqual([]);
    const count = () => fixture.database.outboxMessage.count({ where: { organisationId } });
    expect(await count()).toBe(1);
    await worker.get(Retention).prune();
    expect(await count()).toBe(0);
  });
});
