import { callbacks, hangingHosts } from './parts/callbacks.js';
import { memory } from './parts/memory.js';
import { messagesOnPostgres, messagesOnRedis } from './parts/messages.js';
import { otp } from './parts/otp.js';
import { severalOfEach } from './parts/several-of-each.js';
import { start } from './parts/start.js';
import type { Part } from './scenario.js';

/** Every scenario of `pnpm bench`, what it is compared with, and its bar, in the order of the table. */
export const parts: readonly Part[] = [
  messagesOnRedis,
  messagesOnPostgres,
  otp,
  callbacks,
  start,
  hangingHosts,
  memory,
  severalOfEach,
];

export const scenarios = parts.flatMap((part) => part.scenarios);
