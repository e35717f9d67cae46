import { AppError, notFound } from '@gangan/protocol';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { readWithTimeout } from './read-with-timeout.js';

const ofPg = (code: string): Error => Object.assign(new Error('Postgres says no'), { code });

describe('reading with a timeout', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('returns the result and leaves no timer', async () => {
    expect(await readWithTimeout(50, Promise.resolve('it'))).toBe('it');
    expect(jest.getTimerCount()).toBe(0);
  });

  it.each(['ECONNREFUSED', 'ECONNRESET', '57P01', '57014', '40001', '53300'])(
    'throws unavailable after %s',
    async (code) => {
      await expect(readWithTimeout(50, Promise.reject(ofPg(code)))).rejects.toMatchObject({
        code: 'unavailable',
        status: 503,
      });
    },
  );

  it('throws unavailable if the database does not respond', async () => {
    const reading = readWithTimeout(50, new Promise(() => undefined));
    jest.advanceTimersByTime(50);
    await expect(reading).rejects.toThrow(AppError);
    await expect(reading).rejects.toMatchObject({
      status: 503,
      cause: expect.objectContaining({ message: 'The database has not answered within 50 ms' }),
    });
  });

  it.each([notFound('It'), ofPg('22P02'), new Error('a bug')])('rethrows %s unchanged', async (error) => {
    await expect(readWithTimeout(50, Promise.reject(error))).rejects.toBe(error);
  });
});
