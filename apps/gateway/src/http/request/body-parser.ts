import type { IncomingHttpHeaders } from 'node:http';
import { type AppError, beginSlice } from '@gangan/protocol';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { badBody, encodedBody, errorForStatus, notCsv } from '../errors/http.errors.js';
import { declaredAccess } from '../routes/access.js';
import { rememberFaults, jsonFaults } from './json-faults.js';
import { defaultMaxJsonValues, findJsonExcess, maxJsonDepth, maxJsonNames } from './json-size.js';
import { describeJsonFault } from './json-position.js';
import { UploadedFile, type UploadLimits } from './uploaded-file.js';

export const defaultBodyLimit = 64 * 1_024;
/** A larger body is read in a turn of the event loop of its own: many at once would make small requests wait for all of them. */
const maxSharedTurn = 8 * 1_024;

/** Every route takes one JSON object, unless it declares `takes`. */
export function registerBodyParsers(app: NestFastifyApplication, uploadLimits: UploadLimits): void {
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  fastify.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  fastify.removeAllContentTypeParsers();
  acceptCsv(fastify, uploadLimits);
  app.useBodyParser('*', { bodyLimit: defaultBodyLimit }, (request, body, done) => {
    const read = (): void => {
      try {
        const { maxValues, takes } = declaredAccess(request.routeOptions.config) ?? {};
        if (takes === 'raw') {
          done(null, body);
          return;
        }
        const parsed = parseBody(request.headers, body, maxValues);
        const faults = jsonFaults(parsed);
        if (faults.length > 0) rememberFaults(request, faults);
        done(null, parsed);
      } catch (error) {
        done(error as Error);
      }
    };
    if (body.length <= maxSharedTurn) read();
    else void beginSlice().then(read);
  });
}

/** The parser does not read the file: the controller reads it as a stream. */
function acceptCsv(fastify: FastifyInstance, limits: UploadLimits): void {
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
    if (takesCsv(request)) done(null, new UploadedFile(request.raw, limits));
    else done(errorForStatus(415));
  });
}

const takesCsv = ({ routeOptions }: FastifyRequest): boolean =>
  declaredAccess(routeOptions.config)?.takes === 'csv';

function csvHeaderError(headers: IncomingHttpHeaders): AppError | undefined {
  const type = readMediaType(headers);
  const isKnown =
    type && [...type.parameters.keys()].every((name) => name === 'header' || name === 'charset');
  if (type?.name !== 'text/csv' || !isKnown || !isUtf8(type)) return notCsv();
  return isEncoded(headers) ? encodedBody() : undefined;
}

/** Parses one JSON object in UTF-8; undefined if the body is empty. @throws AppError 400 or 415 */
export function parseBody(
  headers: IncomingHttpHeaders,
  body: Buffer,
  maxValues = defaultMaxJsonValues,
): object | undefined {
  if (body.length === 0) return undefined;
  const type = readMediaType(headers);
  if (type?.name !== 'application/json' || !isUtf8(type)) throw errorForStatus(415);
  if (isEncoded(headers)) throw encodedBody();
  const excess = findJsonExcess(body, maxValues);
  if (excess === 'depth')
    throw badBody('value_error', `The body is nested deeper than ${maxJsonDepth} levels`);
  if (excess === 'values')
    throw badBody('too_long', `The body has more than ${maxValues} values; split it into several requests`);
  if (excess === 'names')
    throw badBody('too_long', `The body has more than ${maxJsonNames} different field names`);
  const value = parseJson(decodeUtf8(body));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badBody('object_type', 'The body must be a JSON object');
  }
  return value;
}

/** Whether the body is compressed. */
export const isEncoded = ({ 'content-encoding': encoding = 'identity' }: IncomingHttpHeaders): boolean =>
  encoding !== 'identity';

interface MediaType {
  readonly name: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** No media type that a route accepts is longer. */
const maxMediaTypeLength = 256;

const plainJson: MediaType = { name: 'application/json', parameters: new Map() };

function readMediaType({ 'content-type': text = '' }: IncomingHttpHeaders): MediaType | undefined {
  if (text === plainJson.name) return plainJson;
  if (text.length > maxMediaTypeLength) return undefined;
  const [name = '', ...parameters] = text.toLowerCase().split(';');
  const pairs = parameters
    .filter((parameter) => parameter.trim() !== '')
    .map((parameter) => parameter.split('=').map((part) => part.trim()))
    .map(([key = '', value = '']) => [key, value] as const);
  return { name: name.trim(), parameters: new Map(pairs) };
}

const isUtf8 = ({ parameters }: MediaType): boolean =>
  /^"?utf-?8"?$/.test(parameters.get('charset') ?? 'utf-8');

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decodeUtf8(body: Buffer): string {
  try {
    return utf8.decode(body);
  } catch {
    throw badBody('json_invalid', 'The body is not UTF-8');
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badBody('json_invalid', `The body is not valid JSON: ${describeJsonFault(text)}`);
  }
}
