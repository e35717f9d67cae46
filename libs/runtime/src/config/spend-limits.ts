import { maxSpendLimit } from '@gangan/database';
import { wholeNumber } from './validators.js';

/** A limit in whole naira; 0 means no limit. */
export const nairaLimit = wholeNumber({ min: 0, max: maxSpendLimit });

/** A limit that `pnpm migrate` stores. A worker that reads it compares it with the stored one when it starts. */
export const storedLimit = (what: string) =>
  nairaLimit({
    default: undefined,
    desc: `Daily limit on ${what}, in naira, as pnpm migrate has stored it`,
  });

/** Read by every worker that charges. */
export const dailySpend = storedLimit('everything');
