import { sql } from '@gangan/database';
import type { Announcer } from '@gangan/leases';
import { newContext, newId, timeOfId } from '@gangan/protocol';
import type { QueueClient } from '@gangan/queue';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { of } from 'rxjs';
import { batchHeader } from '../src/batches/batch-lines.js';
import { BatchesService } from '../src/batches/batches.service.js';
import type { LookupConfig } from '../src/lookup.config.js';
import { respondWith } from './support/fake-provider.js';
import { TestLookup, type Worker } from './support/test-lookup.js';

const small = { numbers: 2, concurrency: 2, portionMs: 60_000, portions: 2, maxNumbers: 1_000 };
const signal = new AbortController().signal;

describe('batches of lookups', () => {
  let lookups: TestLookup;
  let worker: Worker;
  beforeAll(async () => {
    lookups = await TestLookup.open();
  });
  afterAll(() => lookups.close());
  beforeEach(async () => {
    lookups.provider.reset();
    await lookups.setPrice(100n);
    worker = await lookups.worker();
  });
  afterEach(() => lookups.database.lookupBatch.deleteMany());

  let last = 3_000_000;
  const newPhone = () => `+234803${String((last += 1))}`;
  const create = async (organisationId: string, phones: readonly string[], id = newId()) => {
    const batch = { id, organisationId, phones, list: null, total: phones.length, createdAt: timeOfId(id) };
    await worker.batches.create(batch, batchHeader);
    return id;
  };
  /** Runs slices until nothing is due. @returns how many */
  const run = async (by: Worker = worker, size = small) => {
    for (let slices = 0; ; slices += 1) {
      const claimed = await by.batches.claimNext();
      if (!claimed) return slices;
      await by.job.runSlice(claimed, signal, size);
    }
  };
  const read = async (id: string) => {
    const batch = await lookups.database.lookupBatch.findUniqueOrThrow({ where: { id } });
    const parts = await lookups.database.lookupBatchPart.findMany({
      where: { batchId: id },
      orderBy: { number: 'asc' },
    });
    const text = Buffer.concat(parts.map(({ data }) => data)).toString();
    expect([batch.parts, Number(batch.bytes)]).toEqual([parts.length, Buffer.byteLength(text)]);
    const [header, ...lines] = text.trimEnd().split('\r\n');
    expect(`${header}\r\n`).toBe(batchHeader);
    return { batch, lines };
  };

  it('run in slices, which several workers continue, and charge each number once', async () => {
    const organisation = await lookups.organisation(10_000n, 'test');
    const phones = Array.from({ length: 9 }, newPhone);
    const id = await create(organisation, [...phones, phones[0] ?? '']);
    const claimed = await worker.batches.claimNext();
    if (!claimed) throw new Error('nothing is due');
    await worker.job.runSlice(claimed, signal, small);
    expect((await read(id)).batch).toMatchObject({ state: 'running', numbers: 4, phones: expect.any(Array) });
    expect(await run(await lookups.worker())).toBe(2);
    const { batch, lines } = await read(id);
    expect(batch).toMatchObject({ state: 'done', numbers: 10, phones: [], nextAttemptAt: null });
    expect(lines.map((line) => line.split(',')[0])).toEqual([...phones, phones[0]]);
    expect(await lookups.balance(organisation)).toBe(9_100n);
    await lookups.expectSoundLedger();
  });

  it('are not charged again for what a dead worker looked up', async () => {
    const organisation = await lookups.organisation(1_000n, 'test');
    const id = await create(organisation, [newPhone(), newPhone()]);
    const claimed = await worker.batches.claimNext();
    if (!claimed) throw new Error('nothing is due');
    // The worker is taken for dead while it looks the numbers up, so its results are not written.
    const { holder } = worker;
    await lookups.database.transaction((transaction) => holder.takeOver(transaction, holder.id));
    await lookups.database.execute(sql`UPDATE lookup_batch SET attempt = attempt + 1 WHERE id = ${id}::uuid`);
    await expect(worker.job.runSlice({ ...claimed, attempt: claimed.attempt }, signal)).rejects.toThrow();
    const again = await worker.batches.claimNext();
    if (!again) throw new Error('it is not due');
    await worker.job.runSlice(again, signal);
    expect((await read(id)).lines).toHaveLength(2);
    expect(await lookups.balance(organisation)).toBe(800n);
  });

  it('fail when the balance is used up, and keep what was paid', async () => {
    const organisation = await lookups.organisation(350n, 'test');
    const id = await create(organisation, Array.from({ length: 8 }, newPhone));
    await run();
    const { batch, lines } = await read(id);
    expect(batch).toMatchObject({ state: 'failed', numbers: 3, reason: expect.stringMatching(/balance/i) });
    expect(lines).toHaveLength(3);
    expect(await lookups.balance(organisation)).toBe(50n);
  });

  it.each([3, 4, 5])('fail beyond the limit of 4 numbers, but not at it (%i)', async (count) => {
    const organisation = await lookups.organisation(1_000n, 'test');
    const id = await create(organisation, Array.from({ length: count }, newPhone));
    await run(worker, { ...small, maxNumbers: 4 });
    const { batch, lines } = await read(id);
    const [state, reason] =
      count > 4 ? ['failed', expect.stringContaining('at most 4 numbers')] : ['done', null];
    const numbers = Math.min(count, 4);
    expect(batch).toMatchObject({ state, numbers, reason });
    expect(lines).toHaveLength(numbers);
    expect(await lookups.balance(organisation)).toBe(1_000n - 100n * BigInt(numbers));
  });

  it.each([
    [1_000_000, true],
    [1_000_001, false],
  ])('accept smartlists of up to 1,000,000 contacts (%i)', async (rows, isAccepted) => {
    const organisationId = await lookups.organisation(1_000n, 'test');
    const queue = { send: () => of({ list: 'list', rows }) } as unknown as QueueClient;
    const announcer = { announce: () => Promise.resolve() } as unknown as Announcer;
    const service = new BatchesService(worker.batches, queue, announcer, {
      DEFAULT_REGION: 'NG',
    } as LookupConfig);
    const created = service.create({ smartlist_id: newId() }, newContext({ organisationId }));
    await (isAccepted
      ? expect(created).resolves.toMatchObject({ state: 'queued' })
      : expect(created).rejects.toMatchObject({
          status: 400,
          fields: [{ field: 'smartlist_id', type: 'too_long' }],
        }));
    expect(await lookups.database.lookupBatch.count({ where: { organisationId } })).toBe(isAccepted ? 1 : 0);
  });

  it('are not created with invalid numbers, all of which are reported', async () => {
    const organisationId = await lookups.organisation(1_000n, 'test');
    const service = new BatchesService(
      worker.batches,
      {} as QueueClient,
      { announce: () => Promise.resolve() } as unknown as Announcer,
      { DEFAULT_REGION: 'NG' } as LookupConfig,
    );
    const valid = Array.from({ length: 500 }, newPhone);
    const create = (phones: readonly string[]) =>
      service.create({ phones: phones.join(', ') }, newContext({ organisationId }));
    await expect(create(['112', ...valid, '', '+10000000000000000'])).rejects.toMatchObject({
      status: 400,
      fields: [
        { field: 'phones.0', message: expect.stringContaining('phones.0 must be'), type: 'phone' },
        { field: 'phones.501', message: 'phones.501 is empty', type: 'missing' },
        { field: 'phones.502', type: 'phone' },
      ],
    });
    await expect(create(Array(1_000).fill('112'))).rejects.toMatchObject({
      fields: { length: 100 },
    });
    expect(await lookups.database.lookupBatch.count({ where: { organisationId } })).toBe(0);
    await expect(create(valid)).resolves.toMatchObject({ state: 'queued' });
  });

  it('call the provider like single lookups, and contain its findings', async () => {
    const organisation = await lookups.organisation(1_000n);
    const [known, unknown] = [newPhone(), newPhone()];
    await worker.lookup(known, organisation);
    lookups.provider.behave = respondWith({}, 500);
    const id = await create(organisation, [known, unknown, '112']);
    await run();
    expect((await read(id)).lines).toEqual([
      `${known},${known},Glo,NG,true,true,,,"operator=cache, country=plan, ported=cache, dnd=cache",`,
      `${unknown},${unknown},MTN,NG,false,false,,,"operator=plan, country=plan, ported=registry, dnd=registry, live=unavailable",`,
      '112,,,,,,,,,phone',
    ]);
    expect(await lookups.balance(organisation)).toBe(900n);
    await lookups.expectSoundLedger();
  });

  it('store their results when the time of a portion is over, and continue there', async () => {
    const organisation = await lookups.organisation(1_000n, 'test');
    const phones = Array.from({ length: 5 }, newPhone);
    const id = await create(organisation, phones);
    const stopping = new AbortController();
    const claimed = await worker.batches.claimNext();
    if (!claimed) throw new Error('nothing is due');
    const slow = worker.job.runSlice(claimed, stopping.signal, { ...small, numbers: 5 });
    stopping.abort();
    await slow;
    const { batch } = await read(id);
    expect(batch.state).toBe('running');
    expect(batch.numbers).toBeLessThan(5);
    await run();
    const { lines } = await read(id);
    expect(lines.map((line) => line.split(',')[0])).toEqual(phones);
    expect(await lookups.balance(organisation)).toBe(500n);
  });

  it('wait while their organisation is suspended', async () => {
    const organisation = await lookups.organisation(1_000n, 'test');
    const id = await create(organisation, [newPhone()]);
    const setStatus = (status: string) =>
      lookups.database.execute(
        sql`UPDATE organisation SET status = ${status}::tenant_status WHERE id = ${organisation}::uuid`,
      );
    await setStatus('suspended');
    expect(await run()).toBe(0);
    await setStatus('active');
    expect(await run()).toBe(1);
    expect((await read(id)).batch.state).toBe('done');
  });

  it('are created once, limited to 20, and deleted after a day', async () => {
    const organisation = await lookups.organisation(100_000n, 'test');
    const ids = Array.from({ length: 20 }, () => newId());
    for (const id of [...ids, ...ids.slice(0, 2)]) await create(organisation, ['08031234567'], id);
    await expect(create(organisation, ['08031234567'])).rejects.toMatchObject({
      status: 429,
      code: 'too_many_batches',
    });
    await run();
    const prune = async () => {
      while (await worker.retention.prune());
      return lookups.database.lookupBatch.count();
    };
    expect(await prune()).toBe(20);
    await lookups.database.execute(sql`UPDATE lookup_batch SET ended_at = ended_at - interval '25 hours'`);
    expect(await prune()).toBe(0);
    expect(await lookups.database.lookupBatchPart.count()).toBe(0);
  });
});
