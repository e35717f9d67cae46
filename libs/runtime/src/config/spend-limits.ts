import { wholeNumber } from './validators.js';

/** A limit in whole naira; 0 means no limit. */
export const nairaLimit = wholeNumber({ min: 0, max: 1_000_000_000 });

/** Read by every worker that charges. */
export const dailySpend = nairaLimit({
  default: 5_000_000,
  desc: 'Naira that an organisation without its own limit may spend in a day (UTC), on everything; 0 means no limit',
});
