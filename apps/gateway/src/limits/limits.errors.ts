import { AppError } from '@gangan/protocol';
import type { Limit } from '@gangan/queue';

/** `sharing-key`: a key while another one of its organisation is in use. */
export type BucketOwner = 'organisation' | 'key' | 'sharing-key';

const names: Readonly<Record<BucketOwner, string>> = {
  organisation: 'This organisation',
  key: 'This API key',
  'sharing-key': 'While another API key of the organisation is in use, this one',
};

export function rateLimited(owner: BucketOwner, { perSecond, burst }: Limit, nextInMs: number): AppError {
  const retryAfter = Math.max(1, Math.ceil(nextInMs / 1_000));
  const message = `${names[owner]} may send ${perSecond} requests per second, in bursts of up to ${burst}`;
  return new AppError('rate_limited', 429, `Too many requests. Retry after ${retryAfter} s.`, {
    fields: [{ field: owner === 'organisation' ? owner : 'key', message, type: 'rate_limited' }],
    retryAfter,
  });
}

export const tooManyInProgress = (what: 'requests' | 'uploads', max: number): AppError =>
  new AppError('rate_limited', 429, `Too many ${what} are in progress. Retry after 1 s.`, {
    fields: [
      {
        field: 'organisation',
        message: `This organisation may have ${max} ${what} in progress at a time`,
        type: 'rate_limited',
      },
    ],
    retryAfter: 1,
  });

export const tooManyFromAddress = (max: number): AppError =>
  new AppError('rate_limited', 429, 'Too many requests are in progress. Retry after 1 s.', {
    fields: [
      {
        field: 'address',
        message: `One client address may have ${max} requests without a key in progress at a time`,
        type: 'rate_limited',
      },
    ],
    retryAfter: 1,
  });

export const overloaded = (): AppError =>
  new AppError(
    'overloaded',
    503,
    'The service is overloaded; the request was not accepted. Retry after 1 s.',
    {
      fields: [{ field: 'service', message: 'Too many requests are in progress', type: 'overloaded' }],
      retryAfter: 1,
    },
  );
