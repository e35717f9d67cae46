import fc from 'fast-check';

/** Property tests try the same values every time, so that one fails because of a change and not by chance; `random` explores. */
const wanted = process.env['FUZZ_SEED'] ?? '1';
const seed = wanted === 'random' ? Math.floor(Math.random() * 2 ** 31) : Number(wanted);
if (!Number.isInteger(seed))
  throw new Error(`FUZZ_SEED is "${wanted}": it must be a whole number, or random`);

/** @param {import('fast-check').RunDetails<unknown>} details */
const reporter = (details) => {
  if (!details.failed) return;
  const message = `${fc.defaultReportMessage(details)}\n\nTo try the same again: FUZZ_SEED=${details.seed}`;
  throw new Error(message, { cause: details.errorInstance });
};

fc.configureGlobal({ seed, reporter });
