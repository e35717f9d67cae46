import type { DescribedInterface, Operation, Schema } from './described.js';
import { bareParts, type RequestParts } from './request-parts.js';

/** Ids of things that are there, by the fields that name them: in place of those that examples make up. */
export type KnownIds = Readonly<Record<string, string>>;

type Fields = Readonly<Record<string, unknown>>;

/** The requests that the examples of the description make, but for URLs, which the system would call. */
export function examplesOf(
  operation: Operation,
  api: DescribedInterface,
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

/** Without ids that may be left out, as nothing is called so. */
const fieldByField = ({ properties = {}, required = [] }: Schema): Fields =>
  Object.fromEntries(
    Object.entries(properties).flatMap(([name, { examples }]) =>
      examples === undefined || (isId(examples[0]) && !required.includes(name)) ? [] : [[name, examples[0]]],
    ),
  );

const named = (fields: Fields, ids: KnownIds): Fields =>
  Object.fromEntries(Object.entries(ids).filter(([name]) => name in fields));

const asText = (fields: Fields, { properties = {} }: Schema): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([name]) => properties[name]?.format !== 'uri')
      .map(([name, value]) => [name, JSON.stringify(value)]),
  );

const isId = (example: unknown): boolean =>
  typeof example === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-/.test(example);
