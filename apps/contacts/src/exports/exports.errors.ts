import { AppError, notFound } from '@gangan/protocol';

export const noSuchExport = (): AppError => notFound('The export');

/** @param seconds until the first of them is forgotten; nobody has to wait, as they can be deleted */
export const tooManyExports = (most: number, seconds: number): AppError =>
  new AppError(
    'too_many_exports',
    429,
    `There are ${most} exports already: delete one, or wait until the oldest of them is forgotten`,
    { retryAfter: Math.max(1, Math.ceil(seconds)) },
  );

export const notDone = (): AppError =>
  new AppError('not_done', 409, 'The export is not done, so there is no file yet');
