import { AppError } from '@gangan/protocol';
import type { Limit } from '@gangan/queue';

/** Whose bucket is empty. */
export type Holder = 'organisation' | 'key';

const who: Readonly<Record<Holder, string>> = {
  organisation: 'This organisation',
  key: 'This API key',
};

export function rateLimited(holder: Holder, { perSecond, burst }: Limit, nextInMs: number): AppError {
  const retryAfter = Math.max(1, Math.ceil(nextInMs / 1_000));
  const message = `${who[holder]} may do ${perSecond} requests a second, and ${burst} at once`;
  return new AppError('rate_limited', 429, `Too many requests: try again in ${retryAfter} s`, {
    fields: [{ field: holder, message, type: 'rate_limited' }],
    retryAfter,
  });
}

/** Nothing was accepted, not even looked at. */
export const overloaded = (): AppError =>
  new AppError('overloaded', 503, 'Too many requests are in progress: nothing was done, try again in 1 s', {
    fields: [
      { field: 'service', message: 'The service has more to do than it can bear', type: 'overloaded' },
    ],
    retryAfter: 1,
  });
