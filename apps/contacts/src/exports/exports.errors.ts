import { AppError, notFound } from '@gangan/protocol';

export const noSuchExport = (): AppError => notFound('The export');

export const tooManyExports = (most: number): AppError =>
  new AppError(
    'too_many_exports',
    429,
    `There are ${most} exports already: wait until the oldest of them is forgotten`,
    {
      retryAfter: 3_600,
    },
  );

export const notDone = (): AppError =>
  new AppError('not_done', 409, 'The export is not done, so there is no file yet');
