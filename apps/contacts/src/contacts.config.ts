import { contractVariables } from '@gangan/contracts';
import { defineConfig, durations, wholeNumber } from '@gangan/runtime';

export class ContactsConfig extends defineConfig({
  DEFAULT_REGION: contractVariables.DEFAULT_REGION,
  CONTACT_TRANSFERS_AT_A_TIME: wholeNumber({ min: 1, max: 100 })({
    default: 2,
    desc: 'How many imports of contacts one worker runs at a time; the same number of exports run too',
  }),
  CONTACT_IMPORT_KEPT_FOR: durations({
    default: '720h',
    desc: 'How long an import can be read after it has ended',
  }),
  CONTACT_EXPORT_KEPT_FOR: durations({
    default: '24h',
    desc: 'How long an export and its file are kept after it has ended',
  }),
}) {}
