import fc from 'fast-check';

/**
 * Random tests use the same values in every run, so that a failure comes from a change and not from chance.
 * FUZZ_SEED=random explores other values. `seededRandom` of libs/testing reads the chosen seed from the environment.
 */
const wanted = process.env['FUZZ_SEED'] ?? '1';
const seed = wanted === 'random' ? Math.floor(Math.random() * 2 ** 31) : Number(wanted);
if (!Number.isInteger(seed))
  throw new Error(`FUZZ_SEED is "${wanted}": set it to a whole number or to random`);
process.env['FUZZ_SEED'] = String(seed);

/** @param {import('fast-check').RunDetails<unknown>} details */
const reporter = (details) => {
  if (!details.failed) return;
  const { errorInstance: cause, seed: used } = details;
  // The reason comes first: the values can be long.
  const reason = cause instanceof Error ? `${cause.message}\n\n` : '';
  const message = `${reason}${fc.defaultReportMessage(details)}\n\nTo repeat this run: FUZZ_SEED=${used}`;
  throw new Error(message, { cause });
};

fc.configureGlobal({ seed, reporter });
