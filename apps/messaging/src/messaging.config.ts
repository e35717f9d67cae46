import { contractVariables } from '@gangan/contracts';
import {
  bool,
  dailySpend,
  dataVariables,
  defineConfig,
  durations,
  earlierQueueKey,
  storedLimit,
  waitingCallbacks,
  wholeNumber,
} from '@gangan/runtime';

/** The variables that only this app reads, and those of the contracts. */
export class MessagingConfig extends defineConfig({
  DEFAULT_REGION: contractVariables.DEFAULT_REGION,
  ...dataVariables,
  ...earlierQueueKey,
  DAILY_SPEND: dailySpend,
  WAITING_CALLBACKS: waitingCallbacks,
  SIMULATED_MESSAGES: wholeNumber({ min: 0, max: 2_147_483_647 })({
    default: 100_000,
    desc: 'Simulated incoming messages that a test organisation may store',
  }),
  MESSAGE_DAILY_SPEND: storedLimit('messages'),
  DELIVERY_PROVIDER_TIMEOUT_MS: wholeNumber({ min: 100, max: 60_000 })({
    default: 15_000,
    desc: 'Timeout of a call to a message provider; after it the outcome counts as unknown',
  }),
  DELIVERY_RETRY_AFTER: durations({
    default: '5s,30s,2m,10m,30m',
    desc: 'Delay after each round in which no provider accepted a delivery; after the last round it has failed',
  }),
  DELIVERY_OTP_RETRY_AFTER: durations({
    default: '2s,5s,15s,60s',
    desc: 'The same for OTPs. An OTP is not sent in the last minute of its lifetime, or in the second half of a shorter one',
  }),
  DELIVERY_VALIDITY: durations({
    default: '24h',
    desc: 'How long an accepted message waits for its delivery report before it expires',
  }),
  DELIVERY_SLOTS: wholeNumber({ min: 2, max: 1_000 })({
    default: 8,
    desc: 'Batches that one messaging worker has in flight for each traffic class (messages, OTPs) and provider; one organisation takes part in at most half',
  }),
  DELIVERY_PROVIDER_RATE: wholeNumber({ min: 0, max: 1_000_000 })({
    default: 0,
    desc: 'Recipients per second for a provider without a rate of its own, over all workers; 0 means no limit',
  }),
  DELIVERY_PROVIDER_WINDOW: wholeNumber({ min: 1, max: 1_000 })({
    default: 16,
    desc: 'Calls that one messaging worker has in flight at a provider without a window of its own',
  }),
  SHOW_PROVIDER_NAMES: bool({
    default: false,
    desc: 'Whether all live organisations see the names of providers in attempts',
  }),
  MESSAGES_KEPT_DAYS: wholeNumber({ min: 1, max: 3_650 })({
    default: 90,
    desc: 'Days for which ended messages are kept, with their deliveries, links and clicks',
  }),
}) {}
