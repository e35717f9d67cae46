import { contractVariables } from '@gangan/contracts';
import {
  dailySpend,
  dataKeyVariables,
  defineConfig,
  durations,
  secret,
  storedLimit,
  str,
  wholeNumber,
} from '@gangan/runtime';

export class LookupConfig extends defineConfig({
  DEFAULT_REGION: contractVariables.DEFAULT_REGION,
  ...dataKeyVariables,
  DAILY_SPEND: dailySpend,
  LOOKUP_DAILY_SPEND: storedLimit('lookups'),
  LOOKUP_PROVIDER_FILE: str({
    default: undefined,
    desc: 'Deprecated, not in the next release: a JSON file with a lookup provider. Use pnpm admin providers',
    example: '/etc/gangan/lookup-provider.json',
  }),
  LOOKUP_PROVIDER_SECRET: secret(
    str({
      default: undefined,
      desc: 'Replaces {secret} in that file, so that the file contains no secret',
    }),
  ),
  LOOKUP_PROVIDER_TIMEOUT_MS: wholeNumber({ min: 100, max: 4_000 })({
    default: 2_000,
    desc: 'Timeout of a call to a lookup provider; then the next one is asked, at last the numbering plan and the registries',
  }),
  LOOKUP_BATCHES_AT_A_TIME: wholeNumber({ min: 1, max: 100 })({
    default: 2,
    desc: 'Batches of lookups that one worker runs at a time',
  }),
  LOOKUP_BATCH_KEPT_FOR: durations({
    default: '24h',
    desc: 'How long a batch of lookups and its file are kept after its end',
  }),
}) {}
