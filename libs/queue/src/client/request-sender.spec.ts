import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Backend } from '../backends/backend.js';
import { noObserver } from '../observer.js';
import { defaultTuning } from '../settings.js';
import type { Envelope } from '../wire/envelope.js';
import { RequestSender, type SendingRequest } from './request-sender.js';

describe('RequestSender, single requests', () => {
  let sender: RequestSender;
  const added: { readonly id: string; readonly priority: number }[] = [];
  beforeEach(() => {
    added.splice(0);
    const queue = {
      add: (_: string, { requests }: Envelope, { priority = 0 }: { priority?: number }) =>
        Promise.resolve(void added.push({ id: requests[0]?.id ?? '', priority })),
    };
    sender = new RequestSender(
      { queue: () => Promise.resolve(queue), neverSent: () => true } as unknown as Backend,
      { ...defaultTuning, maxCollectedBytes: 8 },
      noObserver,
      (_, packed) => ({ requests: packed.map(({ request }) => request) }) as unknown as Envelope,
    );
  });

  const add = (
    organisation: string,
    id: string,
    perOrganisation?: number,
    lowPriority = false,
  ): SendingRequest | undefined =>
    sender.add({
      lane: { name: 'lane', kind: 'single' },
      packed: { request: { id, name: 'test', organisation, deadline: Infinity }, parcel: 'x' },
      weight: 1,
      perOrganisation,
      lowPriority,
      failed: () => undefined,
    });
  const send = async (...request: Parameters<typeof add>): Promise<SendingRequest> => {
    const sending = add(...request);
    await sender.idle();
    if (!sending) throw new Error('There was no room');
    return sending;
  };

  it('get a lower priority with each request of their organisation in flight, so that organisations take turns', async () => {
    const first = await send('one', 'a');
    await send('one', 'b');
    await send('one', 'c');
    await send('other', 'x');
    first.replied();
    first.abandon();
    await send('one', 'd');
    expect(added).toEqual([
      { id: 'a', priority: 0 },
      { id: 'b', priority: 1 },
      { id: 'c', priority: 2 },
      { id: 'x', priority: 0 },
      { id: 'd', priority: 2 },
    ]);
  });

  it('with a low priority wait behind all others, however many those have in flight', async () => {
    await send('one', 'a', undefined, true);
    await send('one', 'b', undefined, true);
    await send('one', 'c');
    await send('other', 'x', undefined, true);
    const { maxCollectedRequests: low } = defaultTuning;
    expect(added).toEqual([
      { id: 'a', priority: low },
      { id: 'b', priority: low + 1 },
      { id: 'c', priority: 2 },
      { id: 'x', priority: low },
    ]);
  });

  it('wait if their contract limits them, and can be abandoned while they wait', async () => {
    const first = await send('one', 'a', 1);
    const second = await send('one', 'b', 1);
    const third = await send('one', 'c', 1);
    expect([first.sent, second.sent, third.sent]).toEqual([true, false, false]);
    second.abandon();
    first.abandon();
    await sender.idle();
    expect([second.sent, third.sent]).toEqual([false, true]);
    expect(added.map(({ id }) => id)).toEqual(['a', 'c']);
  });

  it('wait only up to a bound over all organisations', () => {
    const organisations = ['one', 'two', 'three', 'four', 'five'];
    for (const organisation of organisations) add(organisation, 'in flight', 1);
    const waiting = [...organisations, ...organisations].map((organisation) => add(organisation, 'waits', 1));
    expect(waiting.filter(Boolean)).toHaveLength(8);
    waiting[0]?.abandon();
    expect(add('five', 'waits', 1)).toBeDefined();
    expect(add('one', 'waits', 1)).toBeUndefined();
  });
});
