import { type Prisma, sql } from '@gangan/database';
import { dueNow, Retention } from '@gangan/leases';
import { newId } from '@gangan/protocol';
import { InboundContents, messagePresets } from '@gangan/providers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { InboundRepository } from '../../src/inbound/inbound.repository.js';
import { InboundRunner } from '../../src/inbound/inbound.runner.js';
import { InboundService } from '../../src/inbound/inbound.service.js';
import { earlierSealer, requestContents, sealer } from '../support/messaging-module.js';
import { ScriptedFixture } from '../support/scripted-fixture.js';
import { accepted } from '../support/scripted-provider.js';

interface StoredRequest {
  readonly state: string;
  readonly fault: string | null;
  readonly attempt: number;
}

describe('requests of providers', () => {
  const name = 'termii';
  const scripted = ScriptedFixture.use(name);
  const { fixture } = scripted;
  beforeAll(async () => {
    await fixture.database.provider.create({
      data: {
        id: newId(),
        name,
        kind: 'http',
        domains: ['message'],
        channels: ['sms'],
        settings: messagePresets['termii']?.settings as unknown as Prisma.InputJsonObject,
      },
    });
  });
  beforeEach(() => fixture.database.execute(sql`TRUNCATE inbound_request`));

  /** As a worker stores it. */
  const receive = async (
    body: string,
    seal = requestContents.seal.bind(requestContents),
  ): Promise<string> => {
    const id = newId();
    const sealed = seal({ query: '', body }, id);
    await fixture.database.execute(sql`
      INSERT INTO inbound_request (id, provider, digest, method, content_type, sealed_content, next_attempt_at)
      VALUES (${id}::uuid, ${name}, ${Buffer.from(id)}, 'POST', 'application/json', ${sealed}, ${dueNow})`);
    return id;
  };
  const reader = (from = scripted.worker) => ({
    repository: from.get(InboundRepository),
    service: from.get(InboundService),
    runner: from.get(InboundRunner),
  });
  const readAll = async (from = scripted.worker): Promise<void> => {
    const { repository, service } = reader(from);
    await service.readAll(await repository.claimDue());
  };
  const report = (reference: string, status = 'DELIVERED | Message delivered to handset'): string =>
    JSON.stringify({ type: 'outbound', message_id: reference, receiver: '2348031234567', status });
  const stored = async (id: string): Promise<StoredRequest | undefined> =>
    (
      await fixture.database.query<StoredRequest>(
        sql`SELECT state, fault, attempt FROM inbound_request WHERE id = ${id}::uuid`,
      )
    )[0];
  const expectSealedWithDataKey = async (id: string): Promise<void> => {
    const [row] = await fixture.database.query<{ sealed: Buffer }>(
      sql`SELECT sealed_content AS sealed FROM inbound_request WHERE id = ${id}::uuid`,
    );
    const onlyData = new InboundContents(sealer);
    expect(onlyData.open(row?.sealed ?? Buffer.alloc(0), id).body).toContain('2348031234567');
  };
  const send = async (): Promise<string> => {
    const [id = ''] = await scripted.send({ callback: 'https://acme.example/' });
    return id;
  };

  it('that version 0.2 verified and stored end deliveries, and are sealed with DATA_KEYS', async () => {
    const delivery = await send();
    const id = await receive(report(`of-${delivery}`), (content, row) =>
      earlierSealer.seal(JSON.stringify(content), row),
    );
    await readAll();
    expect(await fixture.states([delivery])).toEqual(['delivered']);
    expect(await stored(id)).toEqual({ state: 'handled', fault: null, attempt: 1 });
    await expectSealedWithDataKey(id);
  });

  it('with the same report, 100 at once and read by several workers, count once', async () => {
    const delivery = await send();
    const [{ message_id: messageId } = { message_id: '' }] = await fixture.database.query<{
      message_id: string;
    }>(sql`SELECT message_id FROM delivery WHERE id = ${delivery}::uuid`);
    const before = await fixture.available(scripted.organisation);
    const body = report(`of-${delivery}`, 'DND Active on Phone Number');
    const ids = await Promise.all(Array.from({ length: 100 }, () => receive(body)));
    const readers = await Promise.all(
      Array.from({ length: 4 }, () => fixture.worker({ named: [scripted.provider] })),
    );
    const waits = async (): Promise<boolean> =>
      (await fixture.database.query(sql`SELECT FROM inbound_request WHERE state = 'received'`)).length > 0;
    while (await waits()) await Promise.all(readers.map((one) => readAll(one)));
    expect(await fixture.stored(delivery)).toMatchObject({
      state: 'undelivered',
      code: 'dnd',
      refunded: true,
    });
    expect((await fixture.available(scripted.organisation)) - before).toBe(400n);
    const types = (await fixture.callbacks(messageId)).map(({ type }) => type);
    expect(types).toEqual(['message.sent', 'message.undelivered']);
    for (const id of ids) expect(await stored(id)).toMatchObject({ state: 'handled' });
    await fixture.expectCleanLedger();
  });

  it('are read a few at a time if they are large, in turn with small ones', async () => {
    const long = `${report('unknown')}${' '.repeat(100_000)}`;
    for (let count = 0; count < 5; count += 1) await receive(long);
    for (let count = 0; count < 3; count += 1) await receive(report(`unknown-${count}`));
    const { repository, service } = reader();
    const sizes: number[] = [];
    for (;;) {
      const claimed = await repository.claimDue();
      if (claimed.length === 0) break;
      sizes.push(claimed.length);
      await service.readAll(claimed);
    }
    expect(sizes).toEqual([2, 3, 2, 1]);
  });

  it('may arrive before the answer that they belong to', async () => {
    const { deliveries, answer } = await scripted.startSubmitting();
    const id = await receive(report('9876543210987654321'));
    await readAll();
    expect(await stored(id)).toMatchObject({ state: 'handled' });
    await answer(accepted('9876543210987654321'));
    expect(await fixture.states(deliveries)).toEqual(['delivered']);
  });

  describe('with our reference', () => {
    beforeAll(() =>
      fixture.database.execute(sql`
        UPDATE provider SET settings = jsonb_set(settings, '{reports,ownReference}', '"/ref"') WHERE name = ${name}`),
    );
    afterAll(() =>
      fixture.database.execute(
        sql`UPDATE provider SET settings = settings #- '{reports,ownReference}' WHERE name = ${name}`,
      ),
    );

    it('wait for the end of the attempt, and count if it ended without an answer', async () => {
      const { deliveries, answer } = await scripted.startSubmitting();
      const [ref = ''] = deliveries;
      const id = await receive(JSON.stringify({ ref, message_id: newId(), status: 'DELIVERED' }));
      await readAll();
      expect(await stored(id)).toEqual({ state: 'received', fault: null, attempt: 1 });
      expect(await fixture.states(deliveries)).toEqual(['submitting']);
      await answer({ kind: 'unknown', reason: { code: 'no_answer', message: '' } });
      await fixture.database.execute(sql`UPDATE inbound_request SET next_attempt_at = ${dueNow}`);
      await readAll();
      expect(await stored(id)).toMatchObject({ state: 'handled' });
      expect(await fixture.states(deliveries)).toEqual(['delivered']);
    });

    it('are kept if they match no delivery', async () => {
      const id = await receive(JSON.stringify({ ref: newId(), status: 'DELIVERED' }));
      const delivery = await send();
      const other = await receive(JSON.stringify({ ref: delivery, status: 'DELIVERED' }));
      await readAll();
      expect(await stored(id)).toMatchObject({
        state: 'unparsed',
        fault: 'a report matches no delivery, or several',
      });
      expect(await stored(other)).toMatchObject({ state: 'handled', fault: null });
      expect(await fixture.states([delivery])).toEqual(['delivered']);
    });
  });

  it('that could not be processed for too long are sealed with DATA_KEYS', async () => {
    const id = await receive(report(newId()));
    await fixture.database.execute(sql`UPDATE inbound_request SET attempt = 100`);
    const { runner } = reader();
    await runner.look();
    await runner.idle();
    expect(await stored(id)).toMatchObject({
      state: 'unparsed',
      fault: expect.stringContaining('see the log'),
    });
    await expectSealedWithDataKey(id);
  });

  it('that cannot be read are kept, and read again after the settings were corrected', async () => {
    const delivery = await send();
    const ids = [
      await receive('<html>'),
      await receive('{"type":"inbound","message":"STOP"}'),
      await receive(report(`of-${delivery}`, 'On The Doormat')),
    ];
    await readAll();
    expect(await Promise.all(ids.map(stored))).toEqual([
      { state: 'unparsed', fault: 'the body is not JSON', attempt: 1 },
      {
        state: 'unparsed',
        fault: 'a message has no sender, or no number that received it',
        attempt: 1,
      },
      { state: 'unparsed', fault: 'no rule lists the status "On The Doormat"', attempt: 1 },
    ]);
    expect(await fixture.states([delivery])).toEqual(['sent']);
    await fixture.database.execute(sql`
      UPDATE provider SET settings = jsonb_set(settings, '{reports,states,0}',
        '{"text":"doormat","state":"delivered"}') WHERE name = ${name}`);
    // As `pnpm admin inbound replay` does.
    await fixture.database.execute(sql`
      UPDATE inbound_request SET state = 'received', fault = NULL, next_attempt_at = ${dueNow}`);
    await readAll();
    expect(await stored(ids[2] ?? '')).toMatchObject({ state: 'handled', fault: null });
    expect(await fixture.states([delivery])).toEqual(['delivered']);
  });

  it('are read by another worker if theirs has died', async () => {
    const delivery = await send();
    const id = await receive(report(`of-${delivery}`));
    const { repository } = reader();
    expect(await repository.claimDue()).toHaveLength(1);
    expect(await repository.claimDue()).toEqual([]);
    await fixture.database.execute(sql`UPDATE inbound_request SET next_attempt_at = ${dueNow}`);
    await readAll();
    expect(await stored(id)).toEqual({ state: 'handled', fault: null, attempt: 2 });
    expect(await fixture.states([delivery])).toEqual(['delivered']);
  });

  /** As if the worker that claimed them had died. */
  const expireLeases = () =>
    fixture.database.execute(
      sql`UPDATE inbound_request SET next_attempt_at = now() - interval '1 second' WHERE state = 'received'`,
    );

  it('are read alone after a worker died with them', async () => {
    for (let count = 0; count < 3; count += 1) await receive(report(`unknown-${count}`));
    const { repository } = reader();
    expect(await repository.claimDue()).toHaveLength(3);
    await expireLeases();
    expect(await repository.claimDue()).toHaveLength(1);
  });

  it('are not read again after five workers died with them', async () => {
    const id = await receive(report(newId()));
    const { repository, runner } = reader();
    for (let count = 0; count < 5; count += 1) {
      expect(await repository.claimDue()).toHaveLength(1);
      await expireLeases();
    }
    const other = await receive(report(newId()));
    await runner.look();
    await runner.idle();
    expect(await stored(id)).toEqual({
      ...{ state: 'unparsed', attempt: 6 },
      fault: 'it could not be processed; see the log',
    });
    await expectSealedWithDataKey(id);
    await runner.look();
    await runner.idle();
    expect(await stored(other)).toMatchObject({ state: 'handled' });
  });

  it('that were released are not counted as held by a worker that died', async () => {
    const id = await receive(report(newId()));
    const { repository, runner } = reader();
    for (let count = 0; count < 10; count += 1) {
      const [claimed] = await repository.claimDue();
      if (claimed) await repository.release(claimed, 0);
    }
    await runner.look();
    await runner.idle();
    expect(await stored(id)).toMatchObject({ state: 'handled', attempt: 11 });
  });

  it('are removed after a week, and those that could not be read with the messages', async () => {
    await receive(report('1'));
    await receive('?');
    await readAll();
    const age = (days: number) =>
      fixture.database.execute(sql`
      UPDATE inbound_request SET id = (lpad(to_hex((extract(epoch FROM now() - make_interval(days => ${days}))
        * 1000)::bigint), 12, '0') || substr(replace(id::text, '-', ''), 13))::uuid`);
    const left = async () =>
      (await fixture.database.query<{ state: string }>(sql`SELECT state FROM inbound_request`)).map(
        ({ state }) => state,
      );
    const retention = scripted.worker.get(Retention);
    await age(6);
    await retention.prune();
    expect((await left()).toSorted()).toEqual(['handled', 'unparsed']);
    await age(8);
    await retention.prune();
    expect(await left()).toEqual(['unparsed']);
    await age(91);
    await retention.prune();
    expect(await left()).toEqual([]);
  });
});
