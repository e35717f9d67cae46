import { AppError, notFound } from '@gangan/protocol';

/** The import or export cannot succeed, however often it is retried. Its caller sees the reason. */
export class TransferFailedError extends Error {}

export const noSuchImport = (): AppError => notFound('The import');
export const noSuchExport = (): AppError => notFound('The export');

const tooMany = (type: string, message: string, seconds: number): AppError =>
  new AppError(type, 429, message, { retryAfter: Math.max(1, Math.ceil(seconds)) });

export const tooManyImports = (max: number): AppError =>
  tooMany('too_many_imports', `${max} imports have not finished. Retry when one of them has.`, 60);

/** @param seconds until the first of them is forgotten if nothing more of it arrives */
export const tooManyUploads = (max: number, seconds: number): AppError =>
  tooMany(
    'too_many_imports',
    `${max} files are being uploaded. Retry when one of them is complete.`,
    seconds,
  );

/** @param seconds until the first of them is deleted */
export const tooManyExports = (max: number, seconds: number): AppError =>
  tooMany(
    'too_many_exports',
    `${max} exports are stored. Delete one, or retry when the oldest has been deleted.`,
    seconds,
  );

/** The gateway sends the parts of a file in order, so callers never see this. */
export const missingPart = (): AppError =>
  new AppError('missing_part', 409, 'A part of the file before this one is missing');

/** A repeated upload, under the same Idempotency-Key, of another file. */
export const anotherFile = (): AppError =>
  new AppError('idempotency_mismatch', 422, 'This Idempotency-Key was used for a different file', {
    fields: [
      {
        field: 'Idempotency-Key',
        message: 'Use a new key for a new file. Reuse a key only to repeat the upload of the same file.',
        type: 'idempotency_mismatch',
      },
    ],
  });

export const noRejectedFile = (): AppError => notFound('The file of rejected lines');

export const importNotEnded = (): AppError =>
  new AppError('not_done', 409, 'The import has not ended: its file of rejected lines is not complete');

export const exportNotDone = (): AppError =>
  new AppError('not_done', 409, 'The export is not done: its file does not exist yet');
