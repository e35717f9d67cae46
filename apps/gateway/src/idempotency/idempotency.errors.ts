import { AppError } from '@gangan/protocol';
import { askAgainAfterMs } from './lease.js';

const field = 'Idempotency-Key';

/** @param leftMs how long it may take yet */
export const inProgress = (leftMs: number): AppError =>
  new AppError('in_progress', 409, 'A request with this Idempotency-Key is still being carried out', {
    fields: [
      {
        field,
        message: `Within ${Math.ceil(leftMs / 1_000)} s it has ended at the latest: send the same request with the same key again to get its answer`,
        type: 'in_progress',
      },
    ],
    retryAfter: askAgainAfterMs(leftMs) / 1_000,
  });

export const idempotencyMismatch = (): AppError =>
  new AppError('idempotency_mismatch', 422, 'This Idempotency-Key was used for another request', {
    fields: [
      {
        field,
        message: 'Use a new key for a new request, and the same key only to repeat the very same one',
        type: 'idempotency_mismatch',
      },
    ],
  });
