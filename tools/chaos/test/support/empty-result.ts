import type { RunResult } from '../../src/report/result.js';

/** Of a run in which nothing happened. */
export const emptyResult: RunResult = {
  plan: 'faults',
  seed: 1,
  queue: 'redis',
  seconds: 1,
  intents: 0,
  answers: [],
  attempts: {},
  faults: [],
  skipped: [],
  outages: [],
  responseTimes: { medianMs: 0, p99Ms: 0, longestMs: 0 },
  restarts: 0,
  callbacks: 0,
  watchdogExits: 0,
  resentCallbacks: 0,
  settledAfterMs: 0,
  unfinished: {},
  checks: [],
};
