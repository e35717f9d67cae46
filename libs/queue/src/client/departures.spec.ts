import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Backend } from '../backends/backend.js';
import { noObserver } from '../observer.js';
import { defaultTuning } from '../settings.js';
import type { Envelope } from '../wire/envelope.js';
import { type Departure, Departures } from './departures.js';

describe('what travels alone', () => {
  let departures: Departures;
  const added: { readonly id: string; readonly priority: number }[] = [];
  beforeEach(() => {
    added.splice(0);
    const queue = {
      add: (_: string, { requests }: Envelope, { priority = 0 }: { priority?: number }) =>
        Promise.resolve(void added.push({ id: requests[0]?.id ?? '', priority })),
    };
    departures = new Departures(
      { queue: () => Promise.resolve(queue), neverSent: () => true } as unknown as Backend,
      { ...defaultTuning, maxGatheredBytes: 8 },
      noObserver,
      (packed) => ({ requests: packed.map(({ request }) => request) }) as unknown as Envelope,
    );
  });

  const add = (organisation: string, id: string, perOrganisation?: number): Departure | undefined =>
    departures.add({
      lane: { name: 'lane', kind: 'single' },
      packed: { request: { id, name: 'test', organisation, deadline: Infinity }, parcel: 'x' },
      weight: 1,
      perOrganisation,
      failed: () => undefined,
    });
  const leave = async (...request: Parameters<typeof add>): Promise<Departure> => {
    const departure = add(...request);
    await departures.settled();
    if (!departure) throw new Error('There was no room');
    return departure;
  };

  it('comes the later the more of its organisation is under way, so that organisations take turns', async () => {
    const first = await leave('one', 'a');
    await leave('one', 'b');
    await leave('one', 'c');
    await leave('other', 'x');
    first.answered();
    first.giveUp();
    await leave('one', 'd');
    expect(added).toEqual([
      { id: 'a', priority: 0 },
      { id: 'b', priority: 1 },
      { id: 'c', priority: 2 },
      { id: 'x', priority: 0 },
      { id: 'd', priority: 2 },
    ]);
  });

  it('waits here where its contract says so, and may be given up before it leaves', async () => {
    const first = await leave('one', 'a', 1);
    const second = await leave('one', 'b', 1);
    const third = await leave('one', 'c', 1);
    expect([first.left, second.left, third.left]).toEqual([true, false, false]);
    second.giveUp();
    first.giveUp();
    await departures.settled();
    expect([second.left, third.left]).toEqual([false, true]);
    expect(added.map(({ id }) => id)).toEqual(['a', 'c']);
  });

  it('finds no more room here in all than what gathers, of however many organisations', () => {
    const organisations = ['one', 'two', 'three', 'four', 'five'];
    for (const organisation of organisations) add(organisation, 'under way', 1);
    const waiting = [...organisations, ...organisations].map((organisation) => add(organisation, 'waits', 1));
    expect(waiting.filter(Boolean)).toHaveLength(8);
    waiting[0]?.giveUp();
    expect(add('five', 'waits', 1)).toBeDefined();
    expect(add('one', 'waits', 1)).toBeUndefined();
  });
});
