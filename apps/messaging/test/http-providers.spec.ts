import { sql } from '@gangan/database';
import { fakeInfobip, type FakeMessage, FakeProvider, type FakeRefusal } from '@gangan/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DeliveryFixture } from './support/delivery-fixture.js';
import type { DeliveryWorker } from './support/delivery-worker.js';
import { storeRoute, storeTermii } from './support/stored-providers.js';

const apiKey = 'infobip-key';

/** With the preset for Infobip, which has batches and can be asked. */
describe('an HTTP provider', () => {
  let fixture: DeliveryFixture;
  let server: FakeProvider<FakeMessage, FakeRefusal>;
  let worker: DeliveryWorker;
  let organisationId: string;

  beforeAll(async () => {
    fixture = await DeliveryFixture.open();
  });
  afterAll(() => fixture.close());
  beforeEach(async () => {
    await fixture.database.execute(sql`TRUNCATE provider, route, route_target CASCADE`);
    server = await FakeProvider.start(fakeInfobip(apiKey));
    worker = fixture.worker();
    organisationId = await fixture.organisation(100_000_000n, 'live');
    const options = { url: server.url, apiKey, preset: 'infobip' };
    await storeRoute(fixture.database, [
      await storeTermii(fixture.database, worker.sealer, 'infobip', options),
    ]);
    await worker.providers.refresh();
  });
  afterEach(() => server.stop());

  const send = async (recipients = ['+2348031234567']) => {
    const { deliveries } = await worker.accept(organisationId, {
      ...{ recipients: recipients.join(','), content: 'Hello', sender_id: 'Acme' },
    });
    await worker.idle();
    return deliveries;
  };
  const retry = async () => {
    await fixture.makeDue();
    await worker.sweep();
  };

  it('gets the messages of a batch in few requests, and answers for each', async () => {
    const recipients = Array.from(
      { length: 150 },
      (_, index) => `+23480312${String(index).padStart(5, '0')}`,
    );
    server.behaviour = ({ to }) => (to.endsWith('7') ? { code: 'REJECTED_DND' } : 'accept');
    const states = await fixture.states(await send(recipients));
    expect(states.map((state) => state === 'failed')).toEqual(recipients.map((to) => to.endsWith('7')));
    expect(new Set(server.sent.map(({ to }) => to)).size).toBe(135);
    expect(server.sent).toHaveLength(135);
    expect(server.requests).toBeLessThan(20);
  });

  it('is asked after a lost answer, and gets no message twice', async () => {
    server.behaviour = () => 'lost';
    const [id = ''] = await send();
    expect(await fixture.stored(id)).toMatchObject({ state: 'submitting', attempt: 1 });
    await retry();
    expect(await fixture.stored(id)).toMatchObject({ state: 'sent' });
    expect(server.sent).toHaveLength(1);
  });

  it('gets a message again that it never accepted', async () => {
    server.behaviour = () => 'garbage';
    const [id = ''] = await send();
    server.behaviour = () => 'accept';
    await retry();
    expect(await fixture.stored(id)).toMatchObject({ state: 'sent' });
    expect(server.sent.map(({ reference }) => reference)).toEqual([id]);
  });
});
