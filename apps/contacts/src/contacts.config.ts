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
  CONTACT_ROWS: wholeNumber({ min: 0, max: 2_147_483_647 })({
    default: 5_000_000,
    desc: 'Contact rows that an organisation without its own limit may store; 0 means no limit',
  }),
  STORED_BYTES: wholeNumber({ min: 0, max: 999_999_999_999_999 })({
    default: 21_474_836_480,
    desc: 'Bytes of contact cells, filters of smartlists, unfinished imports, rejected lines and exports that an organisation without its own limit may store; 0 means no limit',
  }),
  UNFINISHED_IMPORTS: wholeNumber({ min: 0, max: 1_000 })({
    default: 10,
    desc: 'Imports that may wait, and as many that may be uploading, for an organisation without its own limit; 0 means no limit',
  }),
}) {}
