import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { withTimeout } from './timeouts.js';

const never = new Promise<never>(() => undefined);

describe('withTimeout', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('returns a result that arrives in time and clears its timer', async () => {
    expect(await withTimeout(50, Promise.resolve(1))).toBe(1);
    await expect(withTimeout(50, Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('rejects after the timeout, with the given error if there is one', async () => {
    const [plain, own] = [withTimeout(50, never), withTimeout(50, never, () => new Error('too late'))];
    jest.advanceTimersByTime(50);
    await expect(plain).rejects.toThrow('no answer within 50 ms');
    await expect(own).rejects.toThrow('too late');
  });
});
