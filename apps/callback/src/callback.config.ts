import { contractVariables } from '@gangan/contracts';
import { dataKeyVariables, defineConfig, waitingCallbacks, wholeNumber } from '@gangan/runtime';

const concurrency = wholeNumber({ min: 1, max: 1_000 });
const days = wholeNumber({ min: 1, max: 3_650 });

export class CallbackConfig extends defineConfig({
  ...dataKeyVariables,
  CALLBACK_ALLOW_PRIVATE: contractVariables.CALLBACK_ALLOW_PRIVATE,
  WAITING_CALLBACKS: waitingCallbacks,
  // The maximum bounds the shutdown, which waits for the attempts in flight.
  CALLBACK_TIMEOUT_MS: wholeNumber({ min: 100, max: 25_000 })({
    default: 15_000,
    desc: 'Timeout of one attempt, up to the last byte of the response',
  }),
  CALLBACK_CONCURRENCY: concurrency({
    default: 64,
    desc: 'Attempts in flight per worker; one organisation gets at most half of them',
  }),
  CALLBACK_SLOW_CONCURRENCY: concurrency({
    default: 64,
    desc: 'Additional attempts in flight per worker to slow hosts',
  }),
  CALLBACK_HOST_CONCURRENCY: wholeNumber({ min: 1, max: 64 })({
    default: 16,
    desc: 'Attempts in flight of all workers for one organisation to one host',
  }),
  CALLBACK_KEPT_DAYS: days({
    default: 30,
    desc: 'Days for which ended callbacks and their attempts are kept; an undelivered one fails after the same time',
  }),
  CALLBACK_ANSWERS_KEPT_DAYS: days({
    default: 7,
    desc: 'Days for which responses to callbacks are kept',
  }),
}) {}
