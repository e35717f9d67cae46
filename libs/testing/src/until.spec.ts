import { describe, expect, it } from '@jest/globals';
import { seededRandom } from './seeded-random.js';
import { until } from './until.js';

describe('until', () => {
  it('returns the first truthy value', async () => {
    let calls = 0;
    expect(await until('the third call', () => ++calls === 3 && 'third')).toBe('third');
  });

  it('says what it waited for when the time is up', async () => {
    const waiting = until('the light is green', () => false, { timeoutMs: 30, details: () => 'It is red.' });
    await expect(waiting).rejects.toThrow('Waited 30 ms until the light is green:\nIt is red.');
  });
});

it('repeats its random numbers', () => {
  const numbers = (): number[] => Array.from({ length: 100 }, seededRandom('test'));
  expect(numbers()).toEqual(numbers());
  expect(new Set(numbers()).size).toBe(100);
  expect(numbers().every((number) => number >= 0 && number < 1)).toBe(true);
});
