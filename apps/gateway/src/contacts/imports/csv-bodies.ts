import type { IncomingHttpHeaders } from 'node:http';
import type { AppError } from '@gangan/protocol';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { declaredAccess } from '../../http/access.js';
import { isEncoded } from '../../http/body-parser.js';
import { encodedBody, refusalOf } from '../../http/refusals.js';
import { notCsv } from './imports.errors.js';

/**
 * Lets routes that declare it take a file: its bytes are left where they are, to be read by the controller. What the
 * headers tell of it stands for the body, so that an Idempotency-Key used for another file is noticed.
 */
export function takeCsv(fastify: FastifyInstance): void {
  fastify.addHook('preParsing', (request, reply, payload, done) => {
    const refusal = takesCsv(request) ? refusalFor(request.headers) : undefined;
    if (!refusal) {
      done(null, payload);
      return;
    }
    void reply.header('connection', 'close');
    done(refusal);
  });
  fastify.addContentTypeParser('text/csv', (request, _payload, done) => {
    if (takesCsv(request)) done(null, factsOf(request.headers));
    else done(refusalOf(415));
  });
}

const takesCsv = ({ routeOptions }: FastifyRequest): boolean =>
  declaredAccess(routeOptions.config)?.takes === 'csv';

const csv = /^text\/csv(?:\s*;\s*(?:header\s*=\s*\w+|charset\s*=\s*"?utf-?8"?))*\s*;?\s*$/i;

function refusalFor(headers: IncomingHttpHeaders): AppError | undefined {
  if (!csv.test(headers['content-type'] ?? '')) return notCsv();
  return isEncoded(headers) ? encodedBody() : undefined;
}

const factsOf = (headers: IncomingHttpHeaders): object => ({
  length: headers['content-length'],
  digest: headers['content-digest'],
});
