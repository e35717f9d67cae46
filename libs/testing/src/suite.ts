import { describeWithRedis } from './redis/redis.js';

/**
 * Whether this is the full suite, `pnpm test:all`: it also runs the files `*.full.spec.ts`, the second queue of every suite, and
 * the long campaigns. `pnpm test` is the fast suite.
 */
export const isFullSuite = process.env['TEST_SUITE'] === 'full';

const factor = readFactor(process.env['FUZZ_FACTOR']);

/** How many random cases or repetitions a test makes in the fast and in the full suite. FUZZ_FACTOR=10 makes ten times as many. */
export const repetitions = (fast: number, full = fast): number =>
  Math.ceil((isFullSuite ? full : fast) * factor);

/** @throws if it is not a number above 0: a test would repeat nothing, and pass */
export function readFactor(text = '1'): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new Error(`FUZZ_FACTOR must be a number above 0, such as 10 or 0.5, not "${text}"`);
}

/**
 * Repeats tests with the queues in Redis, in the full suite only: the conformance suite of `libs/queue` proves that both queues
 * behave the same.
 */
export function describeAgainWithRedis(name: string, tests: () => void): void {
  if (isFullSuite) describeWithRedis(name, tests);
}
