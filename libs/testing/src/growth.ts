/**
 * Six times the input may take ten times as long: linear work passes, quadratic work (36 times) does not. The same
 * exponent decides for other pairs of sizes.
 */
const maxExponent = Math.log(10) / Math.log(6);
/** Below this time scheduling and garbage collection decide, not the input: a millisecond for 1,000 bytes, and at least this. */
const minNoiseMs = 100;
export const noiseOf = (size: number): number => Math.max(minNoiseMs, size / 1_000);
const measurements = 3;
/** Another process may slow down a series of measurements, but hardly several in succession. */
const maxSeries = 4;

type Work = (size: number) => Promise<unknown>;

/**
 * Why the time of `work` grows faster than its input; undefined if it does not.
 *
 * @param sizes in ascending order
 */
export async function superLinearGrowth(
  sizes: readonly number[],
  work: Work,
  noise = noiseOf(sizes.at(-1) ?? 0),
): Promise<string | undefined> {
  // If the largest input is quick, nothing needs to be compared. On a busy machine it may be slow once by chance.
  for (let count = 0; count < measurements; count += 1)
    if ((await timeOf(work, sizes.at(-1) ?? 0)) < noise) return undefined;
  for (const [index, large] of sizes.entries()) {
    const small = sizes[index - 1];
    const fault = small && (await compare(small, large, work, noise));
    if (fault) return fault;
  }
  return undefined;
}

/** Whether all end within this time together, so that none of them needs to be measured alone. */
export async function areQuick(works: readonly (() => Promise<unknown>)[], noise: number): Promise<boolean> {
  const started = performance.now();
  await Promise.all(works.map((work) => work()));
  return performance.now() - started < noise;
}

async function compare(small: number, large: number, work: Work, noise: number): Promise<string | undefined> {
  const allowed = (large / small) ** maxExponent;
  let fault: string | undefined;
  for (let series = 0; series < maxSeries; series += 1) {
    const [short, long] = await medians(small, large, work);
    if (long < noise || long <= short * allowed) return undefined;
    fault = `${small} bytes take ${short.toFixed(1)} ms, ${large} bytes ${long.toFixed(1)} ms`;
  }
  return fault;
}

/** Measures both sizes in turn, so that noise affects both. */
async function medians(small: number, large: number, work: Work): Promise<[number, number]> {
  const [short, long]: [number[], number[]] = [[], []];
  for (let count = 0; count < measurements; count += 1) {
    short.push(await timeOf(work, small));
    long.push(await timeOf(work, large));
  }
  return [median(short), median(long)];
}

async function timeOf(work: Work, size: number): Promise<number> {
  const started = performance.now();
  await work(size);
  return performance.now() - started;
}

const median = (times: readonly number[]): number =>
  times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? NaN;
