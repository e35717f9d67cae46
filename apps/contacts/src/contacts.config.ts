import { defineConfig, durations, wholeNumber } from '@gangan/runtime';

/** The variables that only this app reads. */
export class ContactsConfig extends defineConfig({
  CONTACT_TRANSFERS_AT_A_TIME: wholeNumber({ min: 1, max: 100 })({
    default: 2,
    desc: 'How many imports of contacts one worker carries out at a time, and how many exports besides',
  }),
  CONTACT_IMPORT_KEPT_FOR: durations({
    default: '720h',
    desc: 'How long after its end an import can still be read about',
  }),
  CONTACT_EXPORT_KEPT_FOR: durations({
    default: '24h',
    desc: 'How long after its end an export and its file are kept',
  }),
}) {}
