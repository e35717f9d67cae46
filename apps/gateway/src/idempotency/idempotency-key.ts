import { createHash } from 'node:crypto';
import { type FieldError, invalidRequest, isId } from '@gangan/protocol';
import type { FastifyRequest } from 'fastify';
import { pathOf } from '../http/routes/paths.js';

/** What one key stands for. */
export interface ClaimScope {
  readonly organisationId: string;
  readonly method: string;
  readonly path: string;
  readonly key: string;
}

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
  const fullPath = canonicalPathOf(request);
  const path =
    fullPath.length <= maxPathLength ? fullPath : createHash('sha256').update(fullPath).digest('hex');
  return { organisationId, method: request.method, path, key };
}

/**
 * The path of the route with the decoded parameters, each encoded in one way: `/sms/%73end` and `http://x/sms/send/` are
 * `/sms/send`, and an id in capitals is the same id. For a path as clients usually write it, this is that path, which
 * earlier versions stored: a retry after an upgrade finds its claim.
 */
function canonicalPathOf({ routeOptions: { url = '' }, params }: FastifyRequest): string {
  const values = params as Readonly<Record<string, string>>;
  const segments = pathOf(url).split('/');
  return segments
    .map((segment) => (segment.startsWith(':') ? encodedParameter(values[segment.slice(1)]) : segment))
    .join('/');
}

const encodedParameter = (value = ''): string =>
  encodeURIComponent(isId(value) ? value.toLowerCase() : value);
