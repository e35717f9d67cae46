import { describe, expect, it } from '@jest/globals';
import { lockRetries, retryTransient } from './retry-transient.js';

const failure = (code: string): Error => Object.assign(new Error(`SQLSTATE ${code}`), { code });

/** Fails a number of times, then succeeds. */
function failing(times: number, error: Error) {
  let attempts = 0;
  const run = (): Promise<number> =>
    (attempts += 1) <= times ? Promise.reject(error) : Promise.resolve(attempts);
  return { run, attempts: () => attempts };
}

describe('retryTransient', () => {
  it.each([
    ['a lock', '55P03'],
    ['a deadlock', '40P01'],
    ['a database that is starting', '57P03'],
    ['a connection that broke', '57P01'],
  ])('retries after %s', async (_what, code) => {
    expect(await retryTransient(failing(2, failure(code)).run)).toBe(3);
  });

  it('throws the error of the last attempt', async () => {
    const { run, attempts } = failing(100, failure('55P03'));
    await expect(retryTransient(run)).rejects.toMatchObject({ code: '55P03' });
    expect(attempts()).toBe(8);
  });

  it('does not retry after any other error', async () => {
    const { run, attempts } = failing(1, failure('23505'));
    await expect(retryTransient(run)).rejects.toMatchObject({ code: '23505' });
    expect(attempts()).toBe(1);
  });
});

describe('retryTransient while a row is locked', () => {
  const policy = { ...lockRetries, maxAttempts: 3 };
  const locked = failure('55P03');

  it.each([
    ['itself', locked],
    ['wrapped', new Error('unavailable', { cause: locked })],
  ])('retries after %s', async (_, error) => {
    expect(await retryTransient(failing(2, error).run, policy)).toBe(3);
  });

  it('throws the error of the last attempt', async () => {
    const { run, attempts } = failing(9, locked);
    await expect(retryTransient(run, policy)).rejects.toBe(locked);
    expect(attempts()).toBe(3);
  });

  it.each(['23505', '40P01'])('does not retry after %s', async (code) => {
    const { run, attempts } = failing(1, failure(code));
    await expect(retryTransient(run, policy)).rejects.toThrow(code);
    expect(attempts()).toBe(1);
  });
});
