import { exampleId, getSchemaOptions, type JsonSchema, type Schemas } from '@gangan/contracts';
import type { Dto, ReplyShape } from '@gangan/protocol';
import { defaultBodyLimit } from '../http/request/body-parser.js';
import { errorReferences, type ErrorStatus, pageNotFound } from './error-responses.js';
import { headerReferences, rateLimitHeaders } from './headers.js';
import type { Route } from './routes.js';

/** @param example the body of a successful response */
export function describeOperation(route: Route, schemas: Schemas, example?: unknown) {
  const { access, operation, inputs } = route;
  const parameters = parametersOf(route, schemas);
  const isPublic = access.scope === 'public';
  return {
    operationId: route.operationId,
    tags: [route.tag.name],
    summary: operation.summary,
    description: isPublic
      ? operation.description
      : `${operation.description}\n\nRequires a key with the scope \`${access.scope}\`.`,
    security: isPublic ? [] : [{ apiKey: [access.scope] }],
    ...(parameters.length > 0 && { parameters }),
    ...((inputs.body ?? inputs.bodyOrQuery) && { requestBody: bodyOf(route, schemas) }),
    ...(operation.requestType && { requestBody: fileOf(operation.requestType) }),
    responses: operation.shape
      ? { 200: successOf(route, operation.shape, schemas, example), ...errorReferences(statusesOf(route)) }
      : {
          200: testLinkPage,
          302: redirect,
          ...errorReferences(statusesOf(route)),
          404: pageNotFound(schemas),
        },
  };
}

export const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes retries safe: requests with the same key and body within 24 hours are carried out once and get the same response, or its status and id if more responses are stored than the organisation may store',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
  example: 'order-17-attempt',
};

export const takesIdempotencyKey = ({ method, access }: Route): boolean =>
  (method === 'post' || method === 'patch') && access.isRead !== true;

function parametersOf(route: Route, schemas: Schemas): object[] {
  const { query, bodyOrQuery } = route.inputs;
  return [
    ...pathParameters(route),
    ...(query ? queryParameters(schemas.inline(query)) : []),
    ...(bodyOrQuery ? queryParameters(schemas.inline(bodyOrQuery)).map(orInBody) : []),
    ...(takesIdempotencyKey(route) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
  ];
}

const pathNames = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

const pathParameters = ({ path }: Route) =>
  pathNames(path).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    ...(name === 'code'
      ? { description: 'The code at the end of a short link', example: 'Jq0b6hWZ6r0T3T3lqk4bGw' }
      : { description: 'The id, as returned by an earlier request', example: exampleId }),
  }));

const queryParameters = ({ properties = {}, required = [] }: JsonSchema) =>
  Object.entries(properties).map(([name, { description = '', examples, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description,
    schema,
    ...(examples && { example: examples[0] }),
  }));

/** Leaves out the example, because the body has one. */
const orInBody = ({ name, description, schema }: ReturnType<typeof queryParameters>[number]) => ({
  name,
  in: 'query',
  required: false,
  description: `${description}. Here or in the body`,
  schema,
});

function bodyOf({ access, inputs }: Route, schemas: Schemas): object {
  const kibibytes = (access.bodyLimit ?? defaultBodyLimit) / 1_024;
  const limit = `One JSON object in UTF-8 of at most ${kibibytes} KiB`;
  const dto = inputs.body ?? inputs.bodyOrQuery;
  return {
    required: inputs.body !== undefined,
    description: inputs.body ? limit : `${limit}, instead of the query`,
    content: { 'application/json': dto && { schema: schemas.of(dto), ...examplesOf(dto) } },
  };
}

function examplesOf(dto: Dto<object>): object {
  const named = Object.entries(getSchemaOptions(dto).examples ?? {}).map(([name, value]) => [
    name,
    { value },
  ]);
  return named.length > 0 ? { examples: Object.fromEntries(named) as object } : {};
}

const fileOf = (type: string): object => ({
  required: true,
  description: 'A file in UTF-8 of at most 1 GiB, unless the operator has set another limit',
  content: { [type]: { schema: { type: 'string' }, example: exampleFile } },
});

const exampleFile = 'Name,Email,Mobile\r\nAda Okafor,ada@example.com,07000000001\r\n';

const testLinkPage = {
  description: 'A page that shows the URL, for browsers that open a link of a test organisation',
  headers: headerReferences(['X-Request-Id']),
  content: { 'text/html': { schema: { type: 'string' } } },
};

const redirect = { description: 'A redirect', headers: headerReferences(['X-Request-Id', 'Location']) };

const successOf = (route: Route, shape: ReplyShape, schemas: Schemas, example: unknown): object => ({
  description: 'Success',
  headers: headerReferences([
    'X-Request-Id',
    ...(route.access.scope === 'public' ? [] : ([...rateLimitHeaders, 'X-Ignored-Fields'] as const)),
    ...(takesIdempotencyKey(route) ? (['Idempotent-Replayed'] as const) : []),
    ...(route.operation.headers ?? []),
  ]),
  content: {
    [route.operation.responseType ?? 'application/json']: {
      schema: route.operation.responseType ? { type: 'string' } : schemas.of(shape),
      ...(example !== undefined && { example }),
    },
  },
});

/** The error statuses of a route follow from its inputs. */
function statusesOf(route: Route): ErrorStatus[] {
  const { access, inputs, operation, path } = route;
  return [
    400,
    ...(access.scope === 'public' ? [] : [401, 403, 429]),
    ...(pathNames(path).length > 0 ? [404] : []),
    ...(takesIdempotencyKey(route) ? [409, 422] : []),
    ...((inputs.body ?? inputs.bodyOrQuery ?? operation.requestType) ? [413, 415] : []),
    ...(operation.errors ?? []),
    500,
    503,
    'default',
  ];
}
