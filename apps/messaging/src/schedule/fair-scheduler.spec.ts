import { describe, expect, it } from '@jest/globals';
import { FairScheduler } from './fair-scheduler.js';

/** Batches that end when a test ends them. */
class SchedulerFixture {
  readonly started: {
    organisations: readonly string[];
    ids: readonly string[] | undefined;
    end: () => void;
    more: (organisation: string) => void;
    freeSlot: () => void;
  }[] = [];

  readonly scheduler: FairScheduler;

  constructor(slots: number) {
    this.scheduler = new FairScheduler(
      { slots, organisationsPerBatch: 3 },
      (organisations, ids, more, freeSlot) =>
        new Promise((end) => {
          this.started.push({ organisations, ids, end, more, freeSlot });
        }),
    );
  }

  /** The organisations of each batch. */
  get batches(): string {
    return this.started.map(({ organisations }) => organisations.join('')).join(' ');
  }

  async end(index: number): Promise<void> {
    this.started[index]?.end();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('the fair scheduler', () => {
  it('starts the deliveries of an event if a slot is free', () => {
    const fixture = new SchedulerFixture(4);
    void fixture.scheduler.schedule('a', ['1', '2']);
    expect(fixture.started).toMatchObject([{ organisations: ['a'], ids: ['1', '2'] }]);
  });

  it('takes all deliveries together that arrive while a batch of their organisation is in flight', () => {
    const fixture = new SchedulerFixture(8);
    for (const id of ['1', '2']) void fixture.scheduler.schedule('a', [id]);
    expect(fixture.started.map(({ ids }) => ids)).toEqual([['1'], undefined]);
  });

  it('gives one organisation at most half of the slots, and marks it as pending', async () => {
    const fixture = new SchedulerFixture(4);
    for (const id of ['1', '2', '3', '4', '5']) void fixture.scheduler.schedule('a', [id]);
    expect(fixture.batches).toBe('a a');
    await fixture.end(0);
    expect(fixture.started[2]).toMatchObject({ organisations: ['a'], ids: undefined });
    await fixture.end(1);
    expect(fixture.batches).toBe('a a a');
  });

  it('starts another batch if one frees its slot, and still counts that one for its organisation', async () => {
    const fixture = new SchedulerFixture(2);
    for (const id of ['a', 'b', 'c', 'a']) fixture.scheduler.wake(id);
    expect(fixture.batches).toBe('a b');
    fixture.started[0]?.freeSlot();
    fixture.started[0]?.freeSlot();
    expect(fixture.batches).toBe('a b c');
    await fixture.end(0);
    expect(fixture.batches).toBe('a b c');
    await fixture.end(1);
    expect(fixture.batches).toBe('a b c a');
    let isIdle = false;
    const stopped = fixture.scheduler.stop().then(() => (isIdle = true));
    fixture.started[3]?.freeSlot();
    await fixture.end(2);
    expect(isIdle).toBe(false);
    await fixture.end(3);
    await stopped;
  });

  it('waits for the deliveries of an event only if they were started', async () => {
    const fixture = new SchedulerFixture(2);
    void fixture.scheduler.schedule('a', ['1']);
    await fixture.scheduler.schedule('a', ['2']);
    const scheduled = fixture.scheduler.schedule('b', ['3']);
    await fixture.end(1);
    await scheduled;
  });

  it('takes several organisations together, first those in the fewest batches', async () => {
    const fixture = new SchedulerFixture(4);
    for (const organisation of ['a', 'a', 'b', 'b']) void fixture.scheduler.schedule(organisation, ['x']);
    for (const organisation of ['a', 'b', 'c', 'd', 'e', 'f']) fixture.scheduler.wake(organisation);
    expect(fixture.batches).toBe('a a b b');
    await fixture.end(0);
    expect(fixture.batches).toBe('a a b b cde');
    await fixture.end(4);
    // b takes part in half of the batches.
    expect(fixture.batches).toBe('a a b b cde fa');
    await fixture.end(2);
    expect(fixture.batches).toBe('a a b b cde fa b');
  });

  it('takes further slots as soon as more is reported', async () => {
    const fixture = new SchedulerFixture(8);
    fixture.scheduler.wake('a');
    for (let index = 0; index < 3; index += 1) fixture.started[index]?.more('a');
    expect(fixture.batches).toBe('a a a a');
    fixture.started[3]?.more('a');
    expect(fixture.batches).toBe('a a a a');
    await fixture.end(1);
    expect(fixture.batches).toBe('a a a a a');
  });

  it('starts nothing after a stop, and waits for batches in flight', async () => {
    const fixture = new SchedulerFixture(4);
    void fixture.scheduler.schedule('a', ['1']);
    const stopping = fixture.scheduler.stop();
    void fixture.scheduler.schedule('b', ['2']);
    fixture.started[0]?.more('a');
    await fixture.end(0);
    await stopping;
    expect(fixture.batches).toBe('a');
  });
});
