import { AppError } from '@gangan/protocol';
import { retryAfterMs } from './claim-policy.js';

const field = 'Idempotency-Key';

export function inProgress(leaseLeftMs: number): AppError {
  const message = `It ends within ${Math.ceil(leaseLeftMs / 1_000)} s. Send the same request with the same key again to get its response.`;
  return new AppError('in_progress', 409, 'A request with this Idempotency-Key is still in progress', {
    fields: [{ field, message, type: 'in_progress' }],
    retryAfter: retryAfterMs(leaseLeftMs) / 1_000,
  });
}

export function idempotencyMismatch(): AppError {
  const message = 'Use a new key for a new request. Reuse a key only to repeat an identical request.';
  return new AppError('idempotency_mismatch', 422, 'This Idempotency-Key was used for a different request', {
    fields: [{ field, message, type: 'idempotency_mismatch' }],
  });
}
