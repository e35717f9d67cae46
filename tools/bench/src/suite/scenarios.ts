import { callbacks, hangingHosts } from './parts/callbacks.js';
import { contacts } from './parts/contacts.js';
import { fairness } from './parts/fairness.js';
import { lookup } from './parts/lookup.js';
import { memory } from './parts/memory.js';
import { messagesOnPostgres, messagesOnRedis } from './parts/messages.js';
import { otp } from './parts/otp.js';
import { backlogs, severalOfEach, tableSize } from './parts/sizes.js';
import { start } from './parts/start.js';
import type { Part } from './part.js';

/** Every scenario of `pnpm bench`, what it is compared with, and its bar, in the order of the table. */
export const parts: readonly Part[] = [
  messagesOnRedis,
  messagesOnPostgres,
  fairness,
  otp,
  lookup,
  contacts,
  callbacks,
  start,
  hangingHosts,
  memory,
  backlogs,
  tableSize,
  severalOfEach,
];
