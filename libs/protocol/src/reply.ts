import { AppError, type SerializedError } from './app-error.js';
import { internalError } from './errors.js';

/** The envelope every answer travels in, so that codes, fields and statuses survive the way. */
export type Reply<T = unknown> =
  { readonly ok: true; readonly data: T } | { readonly ok: false; readonly error: SerializedError };

export const succeed = <T>(data: T): Reply<T> => ({ ok: true, data });

/** Only an AppError is shown to callers; anything else becomes an internal error without details. */
export const fail = (error: unknown): Reply<never> => ({
  ok: false,
  error: (error instanceof AppError ? error : internalError(error)).serialize(),
});
