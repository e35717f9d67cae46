import { contractVariables } from '@gangan/contracts';
import { defineConfig, wholeNumber } from '@gangan/runtime';

const attemptsAtOnce = wholeNumber({ min: 1, max: 1_000 });
const days = wholeNumber({ min: 1, max: 3_650 });

/** The variables that only this app reads. */
export class CallbackConfig extends defineConfig({
  CALLBACK_ALLOW_PRIVATE: contractVariables.CALLBACK_ALLOW_PRIVATE,
  // A worker that is stopped waits for its attempts, but not for ever.
  CALLBACK_TIMEOUT_MS: wholeNumber({ min: 100, max: 25_000 })({
    default: 15_000,
    desc: 'How long one attempt at a callback may take, to the last byte of the answer',
  }),
  CALLBACK_CONCURRENCY: attemptsAtOnce({
    default: 64,
    desc: 'Callbacks that one worker sends at a time, for one organisation no more than half of them',
  }),
  CALLBACK_SLOW_CONCURRENCY: attemptsAtOnce({
    default: 64,
    desc: 'Callbacks that one worker sends at a time, besides, to hosts that are slow to answer',
  }),
  CALLBACK_HOST_CONCURRENCY: wholeNumber({ min: 1, max: 64 })({
    default: 16,
    desc: 'Callbacks that all workers together send at a time for one organisation to one host',
  }),
  CALLBACK_KEPT_DAYS: days({
    default: 30,
    desc: 'For how many days callbacks that have ended are kept, with their attempts; undelivered ones are given up after as many',
  }),
  CALLBACK_ANSWERS_KEPT_DAYS: days({
    default: 7,
    desc: 'For how many days the answers to callbacks are kept',
  }),
}) {}
