import { contractVariables } from '@gangan/contracts';
import { defineConfig, str, wholeNumber } from '@gangan/runtime';

/** The variables that only this app reads. */
export class LookupConfig extends defineConfig({
  ...contractVariables,
  LOOKUP_PROVIDER_FILE: str({
    default: undefined,
    desc: 'A JSON file that says how a live provider is asked about a number and understood; without it the numbering plan and the registries answer',
    example: '/etc/gangan/lookup-provider.json',
  }),
  LOOKUP_PROVIDER_SECRET: str({
    default: undefined,
    desc: 'Stands for {secret} in that file, so that the file itself holds none',
  }),
  LOOKUP_PROVIDER_TIMEOUT_MS: wholeNumber({ min: 100, max: 4_000 })({
    default: 2_000,
    desc: 'How long a live provider of look-ups may take to answer; after that the numbering plan and the registries do',
  }),
}) {}
