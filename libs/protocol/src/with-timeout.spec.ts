import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { withTimeout } from './with-timeout.js';

const never = new Promise<never>(() => undefined);

describe('waiting for something, but not for ever,', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('gives what came in time, and leaves no timer behind', async () => {
    expect(await withTimeout(50, Promise.resolve(1))).toBe(1);
    await expect(withTimeout(50, Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('fails when the time is over, in the words it was given', async () => {
    const [plain, own] = [withTimeout(50, never), withTimeout(50, never, () => new Error('too late'))];
    jest.advanceTimersByTime(50);
    await expect(plain).rejects.toThrow('no answer within 50 ms');
    await expect(own).rejects.toThrow('too late');
  });
});
