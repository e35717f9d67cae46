import { Database, type Sql, sql, statement, t } from '@gangan/database';
import { AppLogger } from '@gangan/runtime';
import { describe, expect, it, jest } from '@jest/globals';
import { Injectable, Module } from '@nestjs/common';
import { DiscoveryModule, NestFactory } from '@nestjs/core';
import { DueSweeps, SweepsWhen } from './due-sweeps.js';
import { LeasedJobRunner } from './leased-job-runner.js';

const condition = (name: string) => statement({ isDue: t.bool }, () => sql`SELECT ${name} AS "isDue"`);

@Injectable()
class Parcels {
  readonly rounds: string[] = [];

  /** It has more to do after its first round. */
  @SweepsWhen(condition('collected'), 'collecting parcels')
  collect(): Promise<boolean> {
    this.rounds.push('collect');
    return Promise.resolve(this.rounds.length === 1);
  }

  @SweepsWhen(condition('sorted'), 'sorting parcels')
  sort(): Promise<boolean> {
    this.rounds.push('sort');
    return Promise.resolve(false);
  }
}

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const claimNext = jest.fn(() => Promise.resolve(undefined));
const never = (): Promise<never> => Promise.reject(new Error('no job is due'));

@Injectable()
class ParcelRunner extends LeasedJobRunner<{ readonly stalls: number }> {
  constructor() {
    const rules = { name: 'parcel', concurrency: 1, maxStalls: 1, maxDelayMs: 1, describe: () => ({}) };
    const work = { claimNext, runSlice: never, release: never, fail: never };
    super({ ...rules, ...work, isDue: condition('delivered') }, silent);
  }
}

/** A look sends one statement, which answers for each sweep whether it is due. */
async function open(due: { collect: boolean; sort: boolean; deliver: boolean } | Error) {
  const sent: string[] = [];
  const run = ({ build }: { build: () => Sql }) => {
    const { text, values } = build();
    sent.push(text);
    if (due instanceof Error) return Promise.reject(due);
    const isDue = { collected: due.collect, sorted: due.sort, delivered: due.deliver };
    return Promise.resolve([
      Object.fromEntries(values.map((name, n) => [`sweep${n}`, isDue[name as keyof typeof isDue]])),
    ]);
  };
  @Module({
    imports: [DiscoveryModule],
    providers: [
      ...[Parcels, ParcelRunner, DueSweeps],
      { provide: Database, useValue: { run } },
      { provide: AppLogger, useValue: silent },
    ],
  })
  class Depot {}
  const app = await NestFactory.createApplicationContext(Depot, { logger: false, abortOnError: false });
  const sweeps = app.get(DueSweeps);
  // The first look is made at once.
  await new Promise(setImmediate);
  return { app, sent, sweeps, parcels: app.get(Parcels) };
}

describe('DueSweeps', () => {
  it('asks the conditions of all sweeps in one statement, and runs none that is not due', async () => {
    claimNext.mockClear();
    const { app, sent, sweeps, parcels } = await open({ collect: false, sort: false, deliver: false });
    await sweeps.look();
    await sweeps.look();
    expect(sent).toHaveLength(3);
    expect([parcels.rounds, claimNext.mock.calls]).toEqual([[], []]);
    await app.close();
  });

  it('runs a sweep that is due until it has nothing more to do, and once more after that', async () => {
    claimNext.mockClear();
    const due = { collect: true, sort: false, deliver: true };
    const { app, sweeps, parcels } = await open(due);
    await app.get(ParcelRunner).idle();
    expect([parcels.rounds, claimNext.mock.calls.length]).toEqual([['collect', 'collect'], 1]);
    Object.assign(due, { collect: false, deliver: false });
    await sweeps.look();
    await new Promise(setImmediate);
    await sweeps.look();
    await app.get(ParcelRunner).idle();
    expect([parcels.rounds.length, claimNext.mock.calls.length]).toEqual([3, 2]);
    await app.close();
  });

  it('runs all sweeps if the statement fails', async () => {
    claimNext.mockClear();
    const { app, parcels } = await open(new Error('lock timeout'));
    await app.get(ParcelRunner).idle();
    expect([parcels.rounds.toSorted(), claimNext.mock.calls.length]).toEqual([
      ['collect', 'collect', 'sort'],
      1,
    ]);
    await app.close();
  });
});
