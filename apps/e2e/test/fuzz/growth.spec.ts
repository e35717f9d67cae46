import { isFullSuite, superLinearGrowth } from '@gangan/testing';
import { describe, expect, it } from '@jest/globals';
import { filled } from './fillers.js';

describe('the measure of growth', () => {
  const timesOf = (sizes: readonly number[], run: (text: string) => unknown, noiseMs?: number) =>
    superLinearGrowth(sizes, (size) => Promise.resolve(run(filled('1', ' ', size))), noiseMs);

  it('finds a quadratic pattern', async () => {
    // oxlint-disable-next-line regexp/no-super-linear-move -- this is the fault to find
    const pattern = / +$/g;
    const large = isFullSuite ? 15_000 : 10_000;
    const fault = await timesOf([2_500, large], (text) => text.replace(pattern, ''), 10);
    expect(fault).toMatch(new RegExp(`^2500 bytes take [\\d.]+ ms, ${large} bytes [\\d.]+ ms$`));
  });

  it('accepts a linear one', async () => {
    expect(await timesOf([400_000, 2_400_000], (text) => text.replace(/ /g, ''))).toBeUndefined();
  });
});
