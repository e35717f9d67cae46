import { AppError, outcomeUnknown } from '@gangan/protocol';
import type { QueueClient } from '@gangan/queue';
import { describe, expect, it } from '@jest/globals';
import { throwError } from 'rxjs';
import { SmartlistReader } from './smartlist-reader.js';

describe('reading a smartlist', () => {
  const refusal = (error: AppError): Promise<unknown> => {
    const queue = { send: () => throwError(() => error) } as unknown as QueueClient;
    return new SmartlistReader(queue)
      .open({ smartlist_id: 'any', names: [] })
      .catch((reason: unknown) => reason);
  };

  it.each([
    ['no reply came', outcomeUnknown('any')],
    ['too many queries are under way', new AppError('too_many_queries', 429, 'Too many queries')],
  ])('responds 503 if %s: nothing was done, and the sender made no mistake', async (_, error) => {
    expect(await refusal(error)).toMatchObject({ code: 'unavailable', status: 503 });
  });

  it('passes on the errors of the smartlist', async () => {
    const wrong = new AppError('invalid', 400, 'It has no column of phone numbers');
    expect(await refusal(wrong)).toBe(wrong);
  });
});
