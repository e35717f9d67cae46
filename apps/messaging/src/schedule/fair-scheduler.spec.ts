import { describe, expect, it } from '@jest/globals';
import { Pump } from './fair-scheduler.js';

/** Work that ends when a test says so. */
class Bench {
  readonly begun: {
    organisation: string;
    ids: readonly string[] | undefined;
    end: () => void;
    more: () => void;
  }[] = [];

  readonly pump: Pump;

  constructor(slots: number) {
    this.pump = new Pump(
      slots,
      (organisation, ids, more) =>
        new Promise((end) => {
          this.begun.push({ organisation, ids, end, more });
        }),
    );
  }

  get organisations(): string {
    return this.begun.map(({ organisation }) => organisation).join('');
  }

  async end(place: number): Promise<void> {
    this.begun[place]?.end();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('the pump', () => {
  it('begins with what an event names, while there is room', () => {
    const bench = new Bench(4);
    void bench.pump.hint('a', ['1', '2']);
    expect(bench.begun).toMatchObject([{ organisation: 'a', ids: ['1', '2'] }]);
  });

  it('draws together what comes while something of its organisation is under way', () => {
    const bench = new Bench(8);
    for (const id of ['1', '2']) void bench.pump.hint('a', [id]);
    expect(bench.begun.map(({ ids }) => ids)).toEqual([['1'], undefined]);
  });

  it('gives one organisation at most half of the slots, and says of the rest only that it waits', async () => {
    const bench = new Bench(4);
    for (const id of ['1', '2', '3', '4', '5']) void bench.pump.hint('a', [id]);
    expect(bench.organisations).toBe('aa');
    await bench.end(0);
    expect(bench.begun[2]).toMatchObject({ organisation: 'a', ids: undefined });
    await bench.end(1);
    expect(bench.organisations).toBe('aaa');
  });

  it('waits for what an event names only if it was begun', async () => {
    const bench = new Bench(2);
    void bench.pump.hint('a', ['1']);
    await bench.pump.hint('a', ['2']);
    const hint = bench.pump.hint('b', ['3']);
    await bench.end(1);
    await hint;
  });

  it('lets a newcomer in before who has slots already', async () => {
    const bench = new Bench(4);
    for (const organisation of ['a', 'a', 'b', 'b']) void bench.pump.hint(organisation, ['x']);
    for (const organisation of ['a', 'b', 'c']) bench.pump.wake(organisation);
    await bench.end(0);
    expect(bench.organisations).toBe('aabbc');
    await bench.end(4);
    expect(bench.organisations).toBe('aabbca');
  });

  it('takes further slots for whoever has more, as soon as that is known', async () => {
    const bench = new Bench(8);
    bench.pump.wake('a');
    for (let place = 0; place < 3; place += 1) bench.begun[place]?.more();
    expect(bench.organisations).toBe('aaaa');
    bench.begun[3]?.more();
    expect(bench.organisations).toBe('aaaa');
    await bench.end(1);
    expect(bench.organisations).toBe('aaaaa');
  });

  it('begins nothing once it is stopped, and waits for what is under way', async () => {
    const bench = new Bench(4);
    void bench.pump.hint('a', ['1']);
    const stopping = bench.pump.stop();
    void bench.pump.hint('b', ['2']);
    bench.begun[0]?.more();
    await bench.end(0);
    await stopping;
    expect(bench.organisations).toBe('a');
  });
});
