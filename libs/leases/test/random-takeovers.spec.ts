import 'reflect-metadata';
import { repetitions } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TestHolders, type TestProcess } from './support/test-holders.js';

/**
 * `stop`: a process that is stopped may return; one that is killed does not. `cut`: the database closes a connection, and
 * the process opens another one. `work`: time in which the database is reachable. `outage`: time in which it is not.
 */
type Step =
  | { readonly is: 'start' }
  | { readonly is: 'claim'; readonly which: number; readonly job: string }
  | { readonly is: 'stop'; readonly which: number }
  | { readonly is: 'kill'; readonly which: number }
  | { readonly is: 'cut'; readonly which: number }
  | { readonly is: 'return'; readonly which: number }
  | { readonly is: 'work' | 'outage'; readonly seconds: number };

const which = fc.nat(5);
const seconds = fc.integer({ min: 1, max: 40 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.constant({ is: 'start' as const }) },
  {
    weight: 4,
    arbitrary: fc.record({ is: fc.constant('claim' as const), which, job: fc.constantFrom('a', 'b', 'c') }),
  },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('stop' as const), which }) },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('kill' as const), which }) },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('cut' as const), which }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('return' as const), which }) },
  { weight: 4, arbitrary: fc.record({ is: fc.constant('work' as const), seconds }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('outage' as const), seconds }) },
);

interface Running {
  readonly process: TestProcess;
  isStopped: boolean;
  isKilled?: true;
}

/** What must be true: a process that runs keeps its leases, and the leases of one that has stopped end. */
class Scenario {
  private readonly all: Running[] = [];
  /** By job, the process that claimed it last and has not stopped since. */
  private readonly leases = new Map<string, Running>();

  constructor(private readonly holders: TestHolders) {}

  async run(next: Step): Promise<void> {
    const chosen = 'which' in next ? this.all[next.which % (this.all.length || 1)] : undefined;
    switch (next.is) {
      case 'start': {
        this.all.push({ process: await this.holders.start('worker'), isStopped: false });
        return;
      }
      case 'claim': {
        if (!chosen || chosen.isStopped) return;
        const [claimed] = await this.holders.claim(chosen.process, [next.job]);
        if (claimed) this.leases.set(claimed.id, chosen);
        return;
      }
      case 'stop':
        if (chosen) this.stop(chosen);
        return;
      case 'kill':
        if (!chosen || chosen.isKilled) return;
        this.stop(chosen);
        chosen.isKilled = true;
        await chosen.process.kill();
        return;
      case 'cut':
        if (!chosen || chosen.isKilled) return;
        await this.holders.cut(chosen.process);
        if (!chosen.isStopped) await chosen.process.beat();
        return;
      case 'return':
        if (!chosen?.isStopped || chosen.isKilled) return;
        await chosen.process.beat();
        chosen.isStopped = false;
        return;
      case 'outage':
        await this.holders.pass(next.seconds, []);
        await this.sweep();
        return;
      case 'work':
        await this.work(next.seconds);
    }
  }

  async check(): Promise<void> {
    const registered = new Set(await this.holders.registered());
    for (const { process } of this.running()) expect(registered).toContain(process.holder.id);
    const leases = new Map((await this.holders.leases()).map(({ id, holder }) => [id, holder]));
    for (const [job, { process }] of this.leases)
      expect([job, leases.get(job)]).toEqual([job, process.holder.id]);
  }

  /** When a single process is left, no other has leases after a while. */
  async end(): Promise<void> {
    for (const index of this.all.keys()) await this.run({ is: 'stop', which: index });
    await this.run({ is: 'start' });
    await this.work(30);
    await this.check();
    expect(await this.holders.registered()).toEqual(this.running().map(({ process }) => process.holder.id));
    expect(await this.holders.leases()).toEqual([]);
  }

  private stop(chosen: Running): void {
    chosen.isStopped = true;
    for (const [job, running] of this.leases) if (running === chosen) this.leases.delete(job);
  }

  /** Heartbeats every two seconds; all processes look for dead ones before and after each. */
  private async work(seconds: number): Promise<void> {
    for (let rest = seconds; rest > 0; rest -= 2) {
      await this.holders.pass(Math.min(rest, 2), []);
      for (const { process } of this.running()) {
        await this.sweep();
        await process.beat();
      }
      await this.sweep();
    }
  }

  private async sweep(): Promise<void> {
    for (const { process } of this.running()) await process.sweep();
  }

  private running(): Running[] {
    return this.all.filter(({ isStopped }) => !isStopped);
  }
}

describe('random stops, returns and outages', () => {
  let holders: TestHolders;
  beforeAll(async () => {
    holders = await TestHolders.open();
  });
  afterAll(() => holders.close());

  it('keep the leases of running processes and end those of stopped ones', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 20 }), async (steps) => {
        await holders.reset();
        const scenario = new Scenario(holders);
        for (const next of steps) {
          await scenario.run(next);
          await scenario.check();
        }
        await scenario.end();
      }),
      { numRuns: repetitions(3, 15), endOnFailure: false },
    );
  });
});
