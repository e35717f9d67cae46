import { contractVariables } from '@gangan/contracts';
import {
  dailySpend,
  dataKeyVariables,
  defineConfig,
  durations,
  nairaLimit,
  storedLimit,
  waitingCallbacks,
  wholeNumber,
} from '@gangan/runtime';

export class AirtimeConfig extends defineConfig({
  DEFAULT_REGION: contractVariables.DEFAULT_REGION,
  ...dataKeyVariables,
  DAILY_SPEND: dailySpend,
  WAITING_CALLBACKS: waitingCallbacks,
  AIRTIME_DAILY_SPEND: storedLimit('airtime'),
  AIRTIME_DAILY_SPEND_PER_RECIPIENT: nairaLimit({
    default: 100_000,
    desc: 'Naira that an organisation may spend on airtime to one number in a day',
  }),
  AIRTIME_PROVIDER_TIMEOUT_MS: wholeNumber({ min: 100, max: 120_000 })({
    default: 15_000,
    desc: 'Timeout of a call to an airtime provider; after it the outcome counts as unknown',
  }),
  AIRTIME_ASK_AFTER: durations({
    default: '5s,30s,2m,10m,1h',
    desc: 'Times after submission at which the provider is asked about an unknown outcome; the last one repeats',
  }),
  AIRTIME_GIVE_UP_AFTER: durations({
    default: '24h',
    desc: 'Time after submission at which an unknown outcome becomes an error, to be resolved by an operator',
  }),
  AIRTIME_PRODUCT_SYNC_MINUTES: wholeNumber({ min: 1, max: 1_440 })({
    default: 60,
    desc: 'Minutes after which the data bundles of a provider are read again',
  }),
}) {}
