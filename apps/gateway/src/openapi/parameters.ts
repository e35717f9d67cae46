import type { JsonSchema, Schemas } from '@gangan/contracts';
import { exampleId } from './example-id.js';
import type { Route } from './routes.js';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export const idempotencyKey: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes a retry safe: within 24 hours a request with the same key and body is carried out once, and answered the same',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
  example: 'order-17-attempt',
};

export const takesIdempotencyKey = ({ method }: Route): boolean => method === 'post' || method === 'patch';

export function parametersOf(route: Route, schemas: Schemas): object[] {
  const { query, bodyOrQuery } = route.inputs;
  return [
    ...pathParameters(route),
    ...(query ? fieldsOf(schemas.inline(query)) : []),
    ...(bodyOrQuery ? fieldsOf(schemas.inline(bodyOrQuery)).map(orInBody) : []),
    ...(takesIdempotencyKey(route) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
  ];
}

export const pathNames = (path: string): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

const pathParameters = ({ path }: Route): Parameter[] =>
  pathNames(path).map((name) => ({
    name,
    in: 'path',
    required: true,
    description: 'The id, as an earlier answer gave it',
    schema: { type: 'string' },
    example: exampleId,
  }));

const fieldsOf = ({ properties = {}, required = [] }: JsonSchema): Parameter[] =>
  Object.entries(properties).map(([name, { description = '', examples, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description,
    schema,
    ...(examples && { example: examples[0] }),
  }));

/** Without an example, which pages would fill in: the one in the body is enough. */
const orInBody = ({ name, description, schema }: Parameter): Parameter => ({
  name,
  in: 'query',
  required: false,
  description: `${description}. Here or in the body`,
  schema,
});
