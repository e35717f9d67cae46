import type { BrokerKind } from '@gangan/testing';
import type { PlanName } from '../options.js';
import type { SkippedFault } from '../faults/availability.js';
import type { CheckResult } from '../reconcile/reconcile.js';
import type { Unfinished } from '../reconcile/unfinished.js';
import type { LoggedFault } from '../run/fault-log.js';
import type { Outage } from './outages.js';
import type { ClientAnswer } from '../traffic/requests.js';
import type { ResponseTimes } from '../traffic/timeline.js';

export interface RunResult {
  readonly plan: PlanName;
  readonly seed: number;
  readonly queue: BrokerKind;
  readonly seconds: number;
  readonly intents: number;
  readonly answers: readonly ClientAnswer[];
  /** Attempts of clients by result. */
  readonly attempts: Readonly<Record<string, number>>;
  readonly responseTimes: ResponseTimes;
  readonly faults: readonly LoggedFault[];
  readonly skipped: readonly SkippedFault[];
  /** What clients saw of the crashes of Postgres. */
  readonly outages: readonly Outage[];
  /** How often a process of an app was started again. */
  readonly restarts: number;
  /** Callbacks that arrived, repetitions included. */
  readonly callbacks: number;
  /** How often a process ended itself because it hung. */
  readonly watchdogExits: number;
  /** Callbacks that had failed twice and were sent on request, because their next attempt was far away. */
  readonly resentCallbacks: number;
  /** Between the end of the last fault and the time when everything was final. */
  readonly settledAfterMs: number;
  /** What was not final at the time limit. */
  readonly unfinished: Unfinished;
  readonly checks: readonly CheckResult[];
}

export const holds = ({ unfinished, checks }: Pick<RunResult, 'unfinished' | 'checks'>): boolean =>
  Object.keys(unfinished).length === 0 && checks.every(({ violations }) => violations.length === 0);
