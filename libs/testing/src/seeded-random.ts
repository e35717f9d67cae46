/** A generator of numbers from 0 to 1 (exclusive) that repeats itself for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  // mulberry32
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Numbers like `randomFrom`, from FUZZ_SEED, as in the property tests (see tools/jest/seed.mjs). Prints the seed, so
 * that a failed run can be repeated.
 */
export function seededRandom(name: string): () => number {
  const seed = Number(process.env['FUZZ_SEED'] ?? 1);
  process.stderr.write(`${name}: random numbers from FUZZ_SEED=${seed}\n`);
  return randomFrom(seed);
}
