import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { pathOf } from '../http/route-table.js';
import type { ClaimScope } from './claim.repository.js';

const longestPath = 255;

export const claimScopeOf = (request: FastifyRequest, organisationId: string, key: string): ClaimScope => ({
  organisationId,
  method: request.method,
  path: boundedPath(pathOf(request.url)),
  key,
});

/** The path is part of the primary key, in whose index long text has no room. A hash has no slash, so it is no path. */
const boundedPath = (path: string): string =>
  path.length <= longestPath ? path : createHash('sha256').update(path).digest('hex');

export const queryOf = (url: string): string => {
  const mark = url.indexOf('?');
  return mark === -1 ? '' : url.slice(mark + 1);
};
