import { AppError, notFound } from '@gangan/protocol';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { readInTime } from './read-in-time.js';

const ofPg = (code: string): Error => Object.assign(new Error('Postgres says no'), { code });

describe('reading in time', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('gives what was read, and leaves no timer behind', async () => {
    expect(await readInTime(50, Promise.resolve('it'))).toBe('it');
    expect(jest.getTimerCount()).toBe(0);
  });

  it.each(['ECONNREFUSED', 'ECONNRESET', '57P01', '57014', '40001', '53300'])(
    'says that the service is unavailable after %s',
    async (code) => {
      await expect(readInTime(50, Promise.reject(ofPg(code)))).rejects.toMatchObject({
        code: 'unavailable',
        status: 503,
      });
    },
  );

  it('says so of a database that stays silent too', async () => {
    const reading = readInTime(50, new Promise(() => undefined));
    jest.advanceTimersByTime(50);
    await expect(reading).rejects.toThrow(AppError);
    await expect(reading).rejects.toMatchObject({
      status: 503,
      cause: expect.objectContaining({ message: 'The database has not answered within 50 ms' }),
    });
  });

  it.each([notFound('It'), ofPg('22P02'), new Error('a bug')])('leaves %s as it is', async (error) => {
    await expect(readInTime(50, Promise.reject(error))).rejects.toBe(error);
  });
});
