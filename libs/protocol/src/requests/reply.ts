import { AppError, type SerializedError } from './app-error.js';
import { internalError } from './errors.js';

/** The envelope of every reply: it keeps the code, fields and status of an error. */
export type Reply<T = unknown> =
  | { readonly ok: true; readonly data: T }
  | { readonly ok: false; readonly error: SerializedError };

export const succeed = <T>(data: T): Reply<T> => ({ ok: true, data });

/** Callers see only an AppError; any other error becomes an internal error without details. */
export const fail = (error: unknown): Reply<never> => ({
  ok: false,
  error: (error instanceof AppError ? error : internalError(error)).serialize(),
});
