import { maxSpendLimit } from '@gangan/database';
import { wholeNumber } from './validators.js';

/** A limit in whole naira; 0 means no limit. */
export const nairaLimit = wholeNumber({ min: 0, max: maxSpendLimit });

/** A limit that `pnpm migrate` stores. A worker that reads it compares it with the stored one when it starts. */
export const storedLimit = (what: string) =>
  nairaLimit({
    default: undefined,
    desc: `Naira that an organisation without its own limit may spend in a day (UTC), on ${what}; 0 means no limit. pnpm migrate stores it; a worker with another value does not start`,
  });

/** Read by every worker that charges. */
export const dailySpend = storedLimit('everything');
