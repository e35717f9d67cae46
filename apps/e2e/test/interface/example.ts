import type { DocumentedApi, Operation, Schema } from './documented-api.js';
import { bareParts, type RequestParts } from './request-parts.js';

/** Ids of existing records by field, to replace those of the examples. */
export type KnownIds = Readonly<Record<string, string>>;

type Fields = Readonly<Record<string, unknown>>;

/** The requests of the documented examples, without URLs that exist: the system would call them. */
export function examplesOf(
  operation: Operation,
  api: DocumentedApi,
  key: string,
  ids: KnownIds = {},
): RequestParts[] {
  const query = operation.parameters.filter(
    (parameter) => parameter.in === 'query' && parameter.example !== undefined,
  );
  const parts = {
    ...bareParts(operation, key),
    query: query.map(({ name, example }) => [name, String(example)] as const),
  };
  const { body } = operation;
  if (!body) return [parts];
  const schema = api.resolve(body.schema);
  const bodies = body.examples.length > 0 ? body.examples : [fieldByField(schema)];
  return bodies.map((fields) => ({ ...parts, body: asText({ ...fields, ...named(fields, ids) }, schema) }));
}

/** Without optional ids, because no record has them. */
const fieldByField = ({ properties = {}, required = [] }: Schema): Fields =>
  Object.fromEntries(
    Object.entries(properties).flatMap(([name, { examples }]) =>
      examples === undefined || (isId(examples[0]) && !required.includes(name)) ? [] : [[name, examples[0]]],
    ),
  );

const named = (fields: Fields, ids: KnownIds): Fields =>
  Object.fromEntries(Object.entries(ids).filter(([name]) => name in fields));

const asText = (fields: Fields, { properties = {}, required = [] }: Schema): Record<string, string> => {
  const isUrl = (name: string): boolean => properties[name]?.format === 'uri';
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([name]) => !isUrl(name) || required.includes(name))
      .map(([name, value]) => [name, JSON.stringify(isUrl(name) ? 'https://gangan.invalid/' : value)]),
  );
};

const isId = (example: unknown): boolean =>
  typeof example === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-/.test(example);
