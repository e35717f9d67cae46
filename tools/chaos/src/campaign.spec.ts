import { readOptions } from '@gangan/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { emptyResult } from '../test/support/empty-result.js';
import { runCampaign } from './campaign.js';
import { chaosOptions } from './options.js';
import type { RunResult } from './report/result.js';
import type { RunInput } from './run/run.js';

describe('a campaign', () => {
  let out: string;
  let started: number[] = [];
  const printed: string[] = [];
  beforeEach(() => {
    out = mkdtempSync(join(tmpdir(), 'gangan-campaign-'));
    started = [];
    printed.length = 0;
  });
  afterEach(() => {
    rmSync(out, { recursive: true });
  });

  const campaign = (
    seeds: string,
    run: (input: RunInput) => RunResult,
    interrupted = new AbortController(),
  ) =>
    runCampaign(
      readOptions(chaosOptions, ['--seed', seeds, '--out', out]),
      (line) => printed.push(line),
      interrupted.signal,
      (input) => {
        started.push(input.seed);
        return Promise.resolve().then(() => run(input));
      },
    );
  const succeeds = ({ seed, queue }: RunInput): RunResult => ({ ...emptyResult, seed, queue });

  it('writes a result per seed, and runs only the seeds without a result', async () => {
    expect(await campaign('1', succeeds)).toBe(0);
    expect(await campaign('1-3', succeeds)).toBe(0);
    expect(started).toEqual([1, 2, 3]);
    expect(readdirSync(out)).toEqual([1, 2, 3].map((seed) => `postgres-seed-${seed}.json`));
    expect(JSON.parse(readFileSync(join(out, 'postgres-seed-2.json'), 'utf8'))).toMatchObject({
      seed: 2,
      queue: 'postgres',
      holds: true,
    });
  });

  it('fails if a skipped run has failed', async () => {
    const fails = (input: RunInput): RunResult => ({ ...succeeds(input), unfinished: { deliveries: 3 } });
    expect(await campaign('1', fails)).toBe(1);
    expect(await campaign('1-2', succeeds)).toBe(1);
    expect(started).toEqual([1, 2]);
    expect(printed.at(-1)).toBe('2 runs, 1 failed: seed 1 on postgres');
  });

  it('refuses results of other options or of another commit, before it starts', async () => {
    await campaign('2', succeeds);
    const file = join(out, 'postgres-seed-2.json');
    const written = JSON.parse(readFileSync(file, 'utf8')) as { options: object };
    expect(written).toMatchObject({ commit: expect.any(String), options: { seconds: 60 } });
    for (const change of [{ commit: 'other' }, { options: { ...written.options, rate: 99 } }]) {
      writeFileSync(file, JSON.stringify({ ...written, ...change }));
      await expect(campaign('1-2', succeeds)).rejects.toThrow(
        `${file} has other options or another commit. Delete it, or use another folder.`,
      );
    }
    expect(started).toEqual([2]);
  });

  it('stores an error as a failed run, and goes on', async () => {
    const breaks = (input: RunInput): RunResult => {
      if (input.seed === 1) throw new Error('Postgres does not start');
      return succeeds(input);
    };
    expect(await campaign('1-2', breaks)).toBe(1);
    expect(started).toEqual([1, 2]);
    expect(JSON.parse(readFileSync(join(out, 'postgres-seed-1.json'), 'utf8'))).toMatchObject({
      seed: 1,
      queue: 'postgres',
      holds: false,
      error: expect.stringContaining('Postgres does not start'),
    });
  });

  it('leaves no result of a run that is interrupted', async () => {
    const interrupted = new AbortController();
    const interrupts = (): never => {
      interrupted.abort();
      throw new Error('aborted');
    };
    await expect(campaign('1-3', interrupts, interrupted)).rejects.toThrow('aborted');
    expect(readdirSync(out)).toEqual([]);
  });

  it('fails if a promise is broken or something is not final, names the seed, and goes on', async () => {
    const violation = { check: 'ledger', subject: 'm', message: 'off by 1 kobo' };
    const fails = (input: RunInput): RunResult => ({
      ...succeeds(input),
      ...(input.seed === 1 && { checks: [{ name: 'ledger', promise: 'exact', violations: [violation] }] }),
      ...(input.seed === 2 && { unfinished: { deliveries: 3 } }),
    });
    expect(await campaign('1-3', fails)).toBe(1);
    expect(printed.at(-1)).toBe('3 runs, 2 failed: seed 1 on postgres; seed 2 on postgres');
    expect(printed.join('\n')).toContain('ledger: m: off by 1 kobo');
    expect(printed.join('\n')).toContain('Seed 2, queue on postgres: 1 violation');
  });
});
