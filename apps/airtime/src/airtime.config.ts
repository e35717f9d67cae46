import { defineConfig, durations, wholeNumber } from '@gangan/runtime';

/** The variables that only this app reads. */
export class AirtimeConfig extends defineConfig({
  AIRTIME_PROVIDER_TIMEOUT_MS: wholeNumber({ min: 100, max: 120_000 })({
    default: 15_000,
    desc: 'How long a provider of airtime may take to answer; after that the outcome counts as unknown',
  }),
  AIRTIME_ASK_AFTER: durations({
    default: '5s,30s,2m,10m,1h',
    desc: 'How long after a purchase of unknown outcome its provider is asked about it; then again and again after the last of them',
  }),
  AIRTIME_GIVE_UP_AFTER: durations({
    default: '24h',
    desc: 'How long after a purchase of unknown outcome nobody is asked any more: it ends as error and waits for a person',
  }),
}) {}
