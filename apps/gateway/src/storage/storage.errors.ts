import { AppError } from '@gangan/protocol';

/** In seconds. An operator has to free space. */
const retryAfter = 60;

export const storageLow = (): AppError =>
  new AppError(
    'storage_low',
    503,
    `The service has little storage left; the request was not accepted. Retry after ${retryAfter} s.`,
    {
      fields: [{ field: 'service', message: 'The database is almost full', type: 'storage_low' }],
      retryAfter,
    },
  );
