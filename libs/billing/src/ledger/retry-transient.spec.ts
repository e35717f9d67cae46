import { describe, expect, it } from '@jest/globals';
import { retryTransient } from './retry-transient.js';

describe('insisting', () => {
  let runs: number;
  /** Fails so many times, as Postgres says it. */
  const failing = (times: number, code: string) => (): Promise<string> => {
    runs += 1;
    return runs > times ? Promise.resolve('done') : Promise.reject(Object.assign(new Error(), { code }));
  };

  it.each([
    ['a lock', '55P03'],
    ['a deadlock', '40P01'],
    ['a database that is starting', '57P03'],
    ['a connection that broke', '57P01'],
  ])('passes %s', async (_what, code) => {
    runs = 0;
    expect(await retryTransient(failing(2, code))).toBe('done');
    expect(runs).toBe(3);
  });

  it('ends where it does not pass', async () => {
    runs = 0;
    await expect(retryTransient(failing(100, '55P03'))).rejects.toMatchObject({ code: '55P03' });
    expect(runs).toBe(8);
  });

  it('is of no use for what is wrong itself', async () => {
    runs = 0;
    await expect(retryTransient(failing(1, '23505'))).rejects.toMatchObject({ code: '23505' });
    expect(runs).toBe(1);
  });
});
