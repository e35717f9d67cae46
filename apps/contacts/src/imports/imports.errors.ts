import { AppError, notFound } from '@gangan/protocol';

export const noSuchImport = (): AppError => notFound('The import');

export const tooManyImports = (most: number): AppError =>
  new AppError('too_many_imports', 429, `There are ${most} imports that are not done: wait for one of them`, {
    retryAfter: 60,
  });

/** No caller sees it: the gateway sends parts in their order. */
export const missingPart = (): AppError =>
  new AppError('missing_part', 409, 'A part of the file is missing before this one');
