import type { IncomingHttpHeaders } from 'node:http';
import type { AppError } from '@gangan/protocol';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { badBody, encodedBody, errorForStatus, notCsv } from '../errors/http.errors.js';
import { declaredAccess } from '../routes/access.js';
import { rememberFaults, jsonFaults } from './json-faults.js';

export const defaultBodyLimit = 64 * 1_024;

/** Every route takes one JSON object, or a CSV file if it declares `takes: 'csv'`. */
export function registerBodyParsers(app: NestFastifyApplication): void {
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  fastify.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  fastify.removeAllContentTypeParsers();
  acceptCsv(fastify);
  app.useBodyParser('*', { bodyLimit: defaultBodyLimit }, (request, body, done) => {
    try {
      const parsed = parseBody(request.headers, body);
      rememberFaults(request, jsonFaults(parsed));
      done(null, parsed);
    } catch (error) {
      done(error as Error);
    }
  });
}

/**
 * The parser does not read the file: the controller reads it as a stream. Its length and digest become the parsed body,
 * so that an Idempotency-Key that is used for another file is noticed.
 */
function acceptCsv(fastify: FastifyInstance): void {
  fastify.addHook('preParsing', (request, reply, payload, done) => {
    const error = takesCsv(request) ? csvHeaderError(request.headers) : undefined;
    if (!error) {
      done(null, payload);
      return;
    }
    void reply.header('connection', 'close');
    done(error);
  });
  fastify.addContentTypeParser('text/csv', (request, _payload, done) => {
    const { 'content-length': length, 'content-digest': digest } = request.headers;
    if (takesCsv(request)) done(null, { length, digest });
    else done(errorForStatus(415));
  });
}

const takesCsv = ({ routeOptions }: FastifyRequest): boolean =>
  declaredAccess(routeOptions.config)?.takes === 'csv';

const csvType = /^text\/csv(?:\s*;\s*(?:header\s*=\s*\w+|charset\s*=\s*"?utf-?8"?))*\s*;?\s*$/i;

function csvHeaderError(headers: IncomingHttpHeaders): AppError | undefined {
  if (!csvType.test(headers['content-type'] ?? '')) return notCsv();
  return isEncoded(headers) ? encodedBody() : undefined;
}

/** Parses one JSON object in UTF-8; undefined if the body is empty. @throws AppError 400 or 415 */
export function parseBody(headers: IncomingHttpHeaders, body: Buffer): object | undefined {
  if (body.length === 0) return undefined;
  if (!isJson(headers['content-type'] ?? '')) throw errorForStatus(415);
  if (isEncoded(headers)) throw encodedBody();
  const value = parseJson(decodeUtf8(body));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badBody('object_type', 'The body must be a JSON object');
  }
  return value;
}

const isEncoded = ({ 'content-encoding': encoding = 'identity' }: IncomingHttpHeaders): boolean =>
  encoding !== 'identity';

function isJson(contentType: string): boolean {
  const [mediaType = '', ...parameters] = contentType.toLowerCase().split(';');
  const charset = parameters
    .map((parameter) => parameter.trim())
    .find((parameter) => parameter.startsWith('charset'));
  return (
    mediaType.trim() === 'application/json' && /^charset\s*=\s*"?utf-?8"?$/.test(charset ?? 'charset=utf-8')
  );
}

function decodeUtf8(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw badBody('json_invalid', 'The body is not UTF-8');
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badBody('json_invalid', 'The body is not valid JSON');
  }
}
