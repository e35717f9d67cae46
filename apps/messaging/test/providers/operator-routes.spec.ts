import { Database, type Sql, sql } from '@gangan/database';
import { newContext, newId } from '@gangan/protocol';
import { type FakeTermii, TcpProxy } from '@gangan/testing';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { deliveryIdsOf } from '../../src/delivery-ids.js';
import { DeliveryWorker, WorkerOutput } from '../support/delivery-worker.js';
import { LiveFixture } from '../support/live-fixture.js';

describe('routes by the operator of the recipient', () => {
  const live = LiveFixture.use();
  const { fixture } = live;
  let server: FakeTermii;
  const mtn = '+2348031234567';
  const ported = '+2348031234568';
  const glo = '+2348051234567';

  beforeEach(async () => {
    server = await live.serveTermii();
    await fixture.database.execute(sql`TRUNCATE registry_import CASCADE`);
    const importId = newId();
    await fixture.database.registryImport.create({
      data: { id: importId, registry: 'ported', mode: 'replace', state: 'active', source: 'test' },
    });
    await fixture.database.portedNumber.create({ data: { phone: ported, importId, operator: 'Airtel' } });
    await live.route([await live.add('other', server)]);
    await live.route([await live.add('mtn', server)], { operator: 'MTN' });
    await live.route([await live.add('airtel', server)], { operator: 'Airtel' });
  });

  const providersOf = (ids: readonly string[]) =>
    Promise.all(ids.map(async (id) => (await fixture.stored(id)).provider));

  const readsOf = (run: { readonly mock: { readonly calls: unknown } }) =>
    (run.mock.calls as [{ build: (...args: unknown[]) => Sql }, ...unknown[]][]).filter(
      ([statement, ...args]) => statement.build(...args).text.includes('ported_number'),
    ).length;

  it('follow the registry of ported numbers first, in every way of accepting a message', async () => {
    const alone = [
      ...(await live.send({ recipients: mtn })),
      ...(await live.send({ recipients: ported })),
      ...(await live.send({ recipients: glo })),
    ];
    expect(await providersOf(alone)).toEqual(['mtn', 'airtel', 'other']);
    // Claimed when they were inserted.
    expect(live.worker.announced).toEqual([]);
    const requests = [mtn, ported, glo].map((to) => ({
      data: { recipients: to, content: 'Hello', sender_id: 'Acme' },
      context: newContext({ organisationId: live.organisationId }),
    }));
    const taken = live.worker.messages.takePlain(requests);
    expect([taken.members.length, (await taken.replies).length]).toEqual([3, 3]);
    await live.worker.idle();
    const together = requests.flatMap(({ context }) => deliveryIdsOf(context.operationId, 1));
    expect(await providersOf(together)).toEqual(['mtn', 'airtel', 'other']);
    const scheduled = await live.send({ recipients: [mtn, ported, glo].join(',') });
    expect(live.worker.announced).toEqual(scheduled);
    await live.due(scheduled);
    expect(await providersOf(scheduled)).toEqual(['mtn', 'airtel', 'other']);
    const otp = await fixture.acceptOtp(live.organisationId, 'Your code is 1234', ported);
    await live.due([otp], 'otp');
    expect(await providersOf([otp])).toEqual(['airtel']);
  });

  it('keep retries and the next provider on the same route', async () => {
    await fixture.database.execute(sql`TRUNCATE route CASCADE`);
    const [first, next] = [await live.add('first', server), await live.add('next', server)];
    const route = await live.route([first, next], { operator: 'Airtel' });
    await live.route([await live.add('wrong', server)]);
    server.behaviour = () => ({ status: 400, message: 'Service temporarily unavailable' });
    const [id = ''] = await live.send({ recipients: ported });
    await live.retry();
    const tried = (await fixture.attempts(id)).map(({ provider }) => provider);
    expect(tried).toEqual(['first', 'next', 'first', 'next']);
    expect(await live.routesOf(id)).toEqual([route, route, route, route]);
  });

  it('reject numbers of an operator without a route, with its name, and store nothing', async () => {
    await fixture.database.execute(sql`DELETE FROM route WHERE operator IS DISTINCT FROM 'MTN'`);
    await live.worker.providers.refresh();
    const before = await live.counts();
    const message = expect.stringContaining('Airtel numbers of NG (+234)') as unknown;
    await expect(live.send({ recipients: [mtn, ported].join(',') })).rejects.toMatchObject({
      status: 503,
      message,
    });
    await expect(live.send({ recipients: ported })).rejects.toMatchObject({ status: 503, message });
    expect(await live.counts()).toEqual(before);
  });

  it('reject the messages of a batch together if the registry cannot be read', async () => {
    const proxy = await TcpProxy.open(Number(new URL(fixture.url).port));
    const database = new Database({ url: proxy.urlOf(fixture.url), poolSize: 2 });
    try {
      const worker = await DeliveryWorker.create(database, new WorkerOutput(), {});
      await live.refresh(worker);
      await live.send({ recipients: mtn }, worker);
      const before = await live.counts();
      await proxy.close();
      const requests = [mtn, glo].map((recipients) => ({
        data: { recipients, content: 'Hello', sender_id: 'Acme' },
        context: newContext({ organisationId: live.organisationId }),
      }));
      const { members, replies } = worker.messages.takePlain(requests);
      expect(members).toHaveLength(2);
      expect(await replies).toMatchObject([{ status: 503 }, { status: 503 }]);
      expect(await live.counts()).toEqual(before);
    } finally {
      await database.close();
    }
  });

  it('do not read the registry for simulated messages', async () => {
    const { database } = fixture;
    const organisationId = await fixture.organisation(undefined, 'test');
    await live.worker.accept(organisationId, { recipients: mtn, content: 'Hello' });
    const run = jest.spyOn(database, 'run');
    try {
      await live.worker.accept(organisationId, { recipients: mtn, content: 'Hello' });
      const context = newContext({ organisationId });
      const { replies } = live.worker.messages.takePlain([
        { data: { recipients: mtn, content: 'Hello' }, context },
      ]);
      expect(await replies).toHaveLength(1);
      expect(readsOf(run)).toBe(0);
    } finally {
      run.mockRestore();
    }
  });

  it('read the registry once for many messages, and not at all if no route names an operator', async () => {
    const run = jest.spyOn(fixture.database, 'run');
    const reads = () => readsOf(run);
    const sendTogether = async () => {
      const requests = Array.from({ length: 20 }, (_, index) => ({
        data: { recipients: `+23480312345${10 + index}`, content: 'Hello', sender_id: 'Acme' },
        context: newContext({ organisationId: live.organisationId }),
      }));
      const { replies } = live.worker.messages.takePlain(requests);
      expect(await replies).toHaveLength(20);
      await live.worker.idle();
    };
    try {
      await live.send({ recipients: mtn });
      run.mockClear();
      await sendTogether();
      expect(reads()).toBe(1);
      const { deliveries } = await fixture.accept(live.organisationId, { recipients: [mtn, ported, glo] });
      run.mockClear();
      await live.due(deliveries);
      expect(reads()).toBe(1);
      await fixture.database.execute(
        sql`UPDATE route SET operator = NULL, prefix = '1' WHERE operator = 'MTN'`,
      );
      await fixture.database.execute(sql`DELETE FROM route WHERE operator IS NOT NULL`);
      await live.worker.providers.refresh();
      run.mockClear();
      await sendTogether();
      await live.due((await fixture.accept(live.organisationId)).deliveries);
      expect(reads()).toBe(0);
    } finally {
      run.mockRestore();
    }
  });
});
