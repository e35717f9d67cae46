import { contractVariables } from '@gangan/contracts';
import { defineConfig, durations, wholeNumber } from '@gangan/runtime';

export class ContactsConfig extends defineConfig({
  DEFAULT_REGION: contractVariables.DEFAULT_REGION,
  CONTACT_TRANSFERS_AT_A_TIME: wholeNumber({ min: 1, max: 100 })({
    default: 2,
    desc: 'Imports of contacts that one worker runs at a time, beside as many exports',
  }),
  CONTACT_IMPORT_KEPT_FOR: durations({
    default: '720h',
    desc: 'How long an import is kept after its end',
  }),
  CONTACT_EXPORT_KEPT_FOR: durations({
    default: '24h',
    desc: 'How long an export and its file are kept after its end',
  }),
  CONTACT_ROWS: wholeNumber({ min: 0, max: 2_147_483_647 })({
    default: 5_000_000,
    desc: 'Contact rows that an organisation may store',
  }),
  STORED_BYTES: wholeNumber({ min: 0, max: 999_999_999_999_999 })({
    default: 21_474_836_480,
    desc: 'Bytes of contact cells, filters of smartlists, unfinished imports, rejected lines and exports that an organisation may store',
  }),
  UNFINISHED_IMPORTS: wholeNumber({ min: 0, max: 1_000 })({
    default: 10,
    desc: 'Imports of an organisation that may wait, beside as many that may be uploading',
  }),
}) {}
