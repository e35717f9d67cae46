import { type Schemas, getSchemaOptions } from '@gangan/contracts';
import type { Dto } from '@gangan/protocol';
import { usualBodyLimit } from '../http/server-options.js';
import { headerReferences, rateLimitHeaders } from './headers.js';
import { parametersOf, pathNames, takesIdempotencyKey } from './parameters.js';
import { refusalReferences } from './refusal-responses.js';
import type { RefusalStatus } from './error-responses.js';
import type { Route } from './routes.js';

/** How one route is described. All of it follows from how the route is declared. */
export function operationOf(route: Route, schemas: Schemas): { readonly responses: Record<string, object> } {
  const { access, answer, chapter, inputs } = route;
  const parameters = parametersOf(route, schemas);
  const isPublic = access.scope === 'public';
  const operation = {
    operationId: route.operationId,
    tags: [chapter.name],
    summary: answer.summary,
    description: isPublic
      ? answer.description
      : `${answer.description}\n\nNeeds a key with the scope \`${access.scope}\`.`,
    security: isPublic ? [] : [{ apiKey: [access.scope] }],
    ...(parameters.length > 0 && { parameters }),
    ...((inputs.body ?? inputs.bodyOrQuery) && { requestBody: bodyOf(route, schemas) }),
    ...(answer.takes && { requestBody: fileOf(answer.takes) }),
    responses: { 200: successOf(route, schemas), ...refusalReferences(statusesOf(route)) },
  };
  return operation;
}

function bodyOf({ access, inputs }: Route, schemas: Schemas): object {
  const kibibytes = (access.bodyLimit ?? usualBodyLimit) / 1_024;
  const limit = `One JSON object in UTF-8 of at most ${kibibytes} KiB`;
  const schema = inputs.body ?? inputs.bodyOrQuery;
  return {
    required: inputs.body !== undefined,
    description: inputs.body ? limit : `${limit}, in place of the query`,
    content: { 'application/json': schema && { schema: schemas.of(schema), ...examplesOf(schema) } },
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
  description: 'A file in UTF-8, of at most 1 GiB unless the operator says otherwise',
  content: { [type]: { schema: { type: 'string' }, example: exampleFile } },
});

const exampleFile = 'Name,Email,Mobile\r\nAda Okafor,ada@example.com,08031234567\r\n';

const successOf = (route: Route, schemas: Schemas): object => ({
  description: 'Done',
  headers: headerReferences([
    'X-Request-Id',
    ...(route.access.scope === 'public' ? [] : rateLimitHeaders),
    ...(takesIdempotencyKey(route) ? (['Idempotent-Replayed'] as const) : []),
    ...(route.answer.headers ?? []),
  ]),
  content: route.answer.gives
    ? { [route.answer.gives]: { schema: { type: 'string' } } }
    : { 'application/json': { schema: schemas.of(route.answer.shape) } },
});

/** What a route may refuse with follows from what it takes. */
const statusesOf = (route: Route): RefusalStatus[] => [
  400,
  ...(route.access.scope === 'public' ? [] : [401, 403, 429]),
  ...(pathNames(route.path).length > 0 ? [404] : []),
  ...(takesIdempotencyKey(route) ? [409, 422] : []),
  ...((route.inputs.body ?? route.inputs.bodyOrQuery ?? route.answer.takes) ? [413, 415] : []),
  ...(route.answer.refuses ?? []),
  500,
  503,
  'default',
];
