import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { currentCommit } from '@gangan/testing';
import type { ChaosOptions } from '../options.js';
import { missedAims } from './aims.js';
import { holds, type RunResult } from './result.js';

type RunName = Pick<RunResult, 'plan' | 'seed' | 'queue'>;

/** What makes results comparable: the code and the options, without those that select runs. */
export interface RunConditions {
  readonly commit: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** A result that an earlier call has written. */
export interface StoredResult extends RunConditions {
  readonly holds: boolean;
}

export const resultFile = (folder: string, { plan, seed, queue }: RunName): string =>
  join(folder, `${plan === 'faults' ? '' : `${plan}-`}${queue}-seed-${seed}.json`);

/** Where the logs of the apps are copied if the run fails. */
export const logFolder = (folder: string, run: RunName): string =>
  resultFile(folder, run).replace(/json$/, 'logs');

const selecting = new Set(['seed', 'queue', 'out']);

export const conditionsOf = (options: ChaosOptions): RunConditions => ({
  commit: currentCommit(),
  options: Object.fromEntries(Object.entries(options).filter(([name]) => !selecting.has(name))),
});

export const readResult = (file: string): StoredResult | undefined =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as StoredResult) : undefined;

export const hasConditions = (stored: StoredResult, { commit, options }: RunConditions): boolean =>
  stored.commit === commit && JSON.stringify(stored.options) === JSON.stringify(options);

/** Its presence means that the run is complete. */
export function writeResult(folder: string, result: RunResult, conditions: RunConditions): void {
  const answers = result.answers.map(({ request, key, status, attempts, retriedAfter, again }) => ({
    kind: request.intent.kind,
    step: request.step,
    key,
    status,
    attempts,
    retriedAfter,
    again,
  }));
  const verdict = { holds: holds(result), missedAims: missedAims(result) };
  writeJson(resultFile(folder, result), { ...conditions, ...verdict, ...result, answers });
}

/** Writes the result of a run that ended with an error. */
export function writeError(folder: string, run: RunName, error: string, conditions: RunConditions): void {
  writeJson(resultFile(folder, run), { ...conditions, ...run, holds: false, error });
}

function writeJson(file: string, content: object): void {
  mkdirSync(dirname(file), { recursive: true });
  const machine = { cpus: cpus().length, model: cpus()[0]?.model, memory: totalmem(), node: process.version };
  writeFileSync(
    `${file}.unfinished`,
    `${JSON.stringify({ date: new Date(), machine, ...content }, undefined, 1)}\n`,
  );
  renameSync(`${file}.unfinished`, file);
}
