import { createHash } from 'node:crypto';
import { type FieldError, invalidRequest } from '@gangan/protocol';
import type { FastifyRequest } from 'fastify';
import { pathOf } from '../http/routes/paths.js';
import type { ClaimScope } from './claim.repository.js';

/** A header that is given twice arrives as one value with a space in it. */
const keyFormat = /^[\x21-\x7e]{1,255}$/;
const maxPathLength = 255;

const invalidKey: FieldError = {
  field: 'Idempotency-Key',
  message: 'Idempotency-Key must be 1 to 255 visible ASCII characters, without spaces, and given once',
  type: 'value_error',
};

/** @throws AppError 400 if the key is invalid */
export function idempotencyKeyOf(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): string | undefined {
  const given = headers['idempotency-key'];
  if (given === undefined) return undefined;
  if (typeof given !== 'string' || !keyFormat.test(given)) throw invalidRequest([invalidKey]);
  return given;
}

/** The path is part of the primary key, whose index cannot hold long text: a long one is hashed. */
export function claimScopeOf(request: FastifyRequest, organisationId: string, key: string): ClaimScope {
  const fullPath = pathOf(request.url);
  const path =
    fullPath.length <= maxPathLength ? fullPath : createHash('sha256').update(fullPath).digest('hex');
  return { organisationId, method: request.method, path, key };
}
