import { describeWithRedis } from './redis/redis.js';

/**
 * Whether this is the full suite, `pnpm test:all`: it also runs the files `*.full.spec.ts`, the second queue of every suite, and
 * the long campaigns. `pnpm test` is the fast suite.
 */
export const isFullSuite = process.env['TEST_SUITE'] === 'full';

const factor = Number(process.env['FUZZ_FACTOR'] ?? 1);

/** How many random cases or repetitions a test makes in the fast and in the full suite. FUZZ_FACTOR=10 makes ten times as many. */
export const repetitions = (fast: number, full = fast): number => (isFullSuite ? full : fast) * factor;

/**
 * Repeats tests with the queues in Redis, in the full suite only: the conformance suite of `libs/queue` proves that both queues
 * behave the same.
 */
export function describeAgainWithRedis(name: string, tests: () => void): void {
  if (isFullSuite) describeWithRedis(name, tests);
}
