import { ApiError, type GanganError } from './errors.js';
import type { Repetition } from './routes.js';

const firstDelayMs = 100;
const maxDelayMs = 8_000;

/**
 * How long to wait before the request is sent again; undefined if it must not be.
 *
 * @param retries how often it was retried before
 */
export function retryDelayMs(
  failure: GanganError,
  repetition: Repetition,
  retries: number,
): number | undefined {
  const response = failure instanceof ApiError ? failure : undefined;
  if (repetition === 'once' && !(response && wasRejected(response))) return undefined;
  if (response && !isTransient(response)) return undefined;
  // With jitter, so that clients that failed together do not return together.
  const jitter = Math.random();
  if (response?.retryAfter !== undefined) return response.retryAfter * 1_000 + jitter * firstDelayMs;
  return Math.min(maxDelayMs, firstDelayMs * 2 ** retries) * (0.5 + jitter / 2);
}

/** An earlier request with the same key is still running: the retry waits for its end and repeats nothing. */
export const isInProgress = ({ status, type }: ApiError): boolean => status === 409 && type === 'in_progress';

/** Whether the response says that nothing was done. */
const wasRejected = ({ isFromApi, type }: ApiError): boolean => isFromApi && type !== 'outcome_unknown';

function isTransient(failure: ApiError): boolean {
  const { status, type, retryAfter, isFromApi } = failure;
  if (isInProgress(failure) || type === 'outcome_unknown') return true;
  // Too many tokens or messages of an OTP: a repeated request would count too.
  if (type === 'too_many_attempts') return false;
  if ((status === 429 || status === 503) && retryAfter !== undefined) return true;
  // A proxy that could not reach the API, or lost its response.
  return !isFromApi && [502, 503, 504].includes(status);
}
