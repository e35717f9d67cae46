import { AppError, notFound } from '@gangan/protocol';

export const noSuchImport = (): AppError => notFound('The import');

export const tooManyImports = (most: number): AppError =>
  new AppError('too_many_imports', 429, `There are ${most} imports that are not done: wait for one of them`, {
    retryAfter: 60,
  });

/** @param seconds until the first of them counts no more, if nothing of it arrives until then */
export const tooManyUploads = (most: number, seconds: number): AppError =>
  new AppError(
    'too_many_imports',
    429,
    `There are ${most} files that have not arrived as a whole: wait for one of them`,
    { retryAfter: Math.max(1, Math.ceil(seconds)) },
  );

/** No caller sees it: the gateway sends parts in their order, of the same file. */
export const missingPart = (): AppError =>
  new AppError('missing_part', 409, 'A part of the file is missing before this one');
