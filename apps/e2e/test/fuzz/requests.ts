import fc from 'fast-check';
import type { DocumentedApi, Operation, Parameter } from '../interface/documented-api.js';
import type { KnownIds } from '../interface/example.js';
import type { Sent } from '../interface/exchange.js';
import { ownIdOf } from '../interface/id-inputs.js';
import { withInput } from '../interface/inputs.js';
import { assemble, bareParts, type RequestParts } from '../interface/request-parts.js';
import { arbitraryOf } from './arbitraries.js';
import { spoilers } from './spoilers.js';

export interface FuzzedRequest extends Sent {
  /** Whether method and path are still those of the operation. */
  readonly onRoute: boolean;
  /** Whether it matches the document. */
  readonly unspoilt: boolean;
}

/** The API key, and known values for references. */
export interface Asker {
  readonly key: string;
  readonly known: KnownIds;
}

/** A placeholder for the id of a record that is created later. */
const placeholder = '00000000-0000-7000-8000-000000000000';

export const needsRecord = ({ target, body }: Sent): boolean =>
  target.includes(placeholder) || (body?.includes(placeholder) ?? false);

export const withRecord = <R extends Sent>(request: R, id: string): R => ({
  ...request,
  target: request.target.replace(placeholder, id),
  // As bytes, because not all bodies are text.
  ...(request.body && {
    body: Buffer.from(request.body.toString('latin1').replace(placeholder, id), 'latin1'),
  }),
});

/** Requests that match the description of an operation, and the same with up to three errors. */
export function requestsOf(
  operation: Operation,
  api: DocumentedApi,
  asker: Asker,
): fc.Arbitrary<FuzzedRequest> {
  const spoiling = fc.array(fc.oneof(...spoilers.map((spoiler) => spoiler(operation))), { maxLength: 3 });
  return fc.tuple(validParts(operation, api, asker), spoiling).map(([valid, spoils]) => {
    const parts = spoils.reduce((sum, spoil) => spoil(sum), valid);
    const onRoute = parts.method === operation.method && parts.tail === '';
    return { ...assemble(parts), onRoute, unspoilt: spoils.length === 0 };
  });
}

function validParts(
  operation: Operation,
  api: DocumentedApi,
  { key, known }: Asker,
): fc.Arbitrary<RequestParts> {
  const bare = bareParts(operation, key);
  const ownId = ownIdOf(operation, api);
  return fc
    .record({
      params: parametersIn('path', operation, api),
      headers: parametersIn('header', operation, api),
      fields: fieldsOf(operation, api, known),
      isThere: fc.boolean(),
    })
    .map(({ params, headers, fields, isThere }) => {
      const parts = { ...bare, params, headers: [...bare.headers, ...Object.entries(headers)], ...fields };
      return ownId && isThere ? withInput(parts, ownId, placeholder) : parts;
    });
}

type Fields = Pick<RequestParts, 'query' | 'body'>;

/** Fields in query and body; if the body may replace the query, in one of the two. */
function fieldsOf(operation: Operation, api: DocumentedApi, known: KnownIds): fc.Arbitrary<Fields> {
  const { body } = operation;
  const needed = body && !body.required ? (api.resolve(body.schema).required ?? []) : [];
  const query = parametersIn('query', operation, api, needed).map(Object.entries<string>);
  const inQuery = query.map((pairs) => ({ query: pairs, body: bareParts(operation, '').body }));
  if (!body) return inQuery;
  const inBody = arbitraryOf(body.schema, api, known)
    // The conditions between its fields.
    .filter(api.fits(body.schema))
    .map((value) => {
      const fields = Object.entries(value as object);
      return Object.fromEntries(fields.map(([name, inner]) => [name, JSON.stringify(inner)]));
    });
  return body.required
    ? fc.record({ query, body: inBody })
    : fc.oneof(inQuery, fc.record({ query: fc.constant([]), body: inBody }));
}

function parametersIn(
  place: Parameter['in'],
  operation: Operation,
  api: DocumentedApi,
  needed: readonly string[] = [],
) {
  const parameters = operation.parameters.filter((parameter) => parameter.in === place);
  const values = parameters.map(({ name, schema }) => [name, arbitraryOf(schema, api).map(String)] as const);
  const isNeeded = ({ name, required }: Parameter) => required || needed.includes(name);
  return fc.record<Record<string, string>>(Object.fromEntries(values), {
    requiredKeys: parameters.filter(isNeeded).map(({ name }) => name),
  }) as fc.Arbitrary<Record<string, string>>;
}
