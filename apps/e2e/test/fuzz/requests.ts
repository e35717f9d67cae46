import fc from 'fast-check';
import type { DescribedInterface, Operation, Parameter } from '../interface/described.js';
import type { KnownIds } from '../interface/example.js';
import type { Sent } from '../interface/exchange.js';
import { ownIdOf } from '../interface/id-inputs.js';
import { withInput } from '../interface/inputs.js';
import { assemble, bareParts, type RequestParts } from '../interface/request-parts.js';
import { arbitraryOf } from './arbitrary-of.js';
import { spoilers } from './spoilers.js';

export interface FuzzedRequest extends Sent {
  /** Whether method and path still are those of the operation. */
  readonly onRoute: boolean;
  /** Whether it is as the description wants it. */
  readonly unspoilt: boolean;
}

/** Who asks, and what there is to be named by the fields of a request. */
export interface Asker {
  readonly key: string;
  readonly known: KnownIds;
}

/** Stands for the id of something that is there, which nobody can know before. */
const placeholder = '00000000-0000-7000-8000-000000000000';

export const isAboutSomething = ({ target, body }: Sent): boolean =>
  target.includes(placeholder) || (body?.includes(placeholder) ?? false);

export const about = <R extends Sent>(request: R, id: string): R => ({
  ...request,
  target: request.target.replace(placeholder, id),
  // As bytes: not all of them are text.
  ...(request.body && {
    body: Buffer.from(request.body.toString('latin1').replace(placeholder, id), 'latin1'),
  }),
});

/** Requests that fit the description of an operation, and the same with up to three things wrong. */
export function requestsOf(
  operation: Operation,
  api: DescribedInterface,
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
  api: DescribedInterface,
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

/** In the query and the body; where a body may stand in place of the query, in one of the two. */
function fieldsOf(operation: Operation, api: DescribedInterface, known: KnownIds): fc.Arbitrary<Fields> {
  const { body } = operation;
  const needed = body && !body.required ? (api.resolve(body.schema).required ?? []) : [];
  const query = parametersIn('query', operation, api, needed).map(Object.entries<string>);
  const inQuery = query.map((pairs) => ({ query: pairs, body: bareParts(operation, '').body }));
  if (!body) return inQuery;
  const inBody = arbitraryOf(body.schema, api, known)
    // What its fields ask of one another.
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
  api: DescribedInterface,
  needed: readonly string[] = [],
) {
  const parameters = operation.parameters.filter((parameter) => parameter.in === place);
  const values = parameters.map(({ name, schema }) => [name, arbitraryOf(schema, api).map(String)] as const);
  const isNeeded = ({ name, required }: Parameter) => required || needed.includes(name);
  return fc.record<Record<string, string>>(Object.fromEntries(values), {
    requiredKeys: parameters.filter(isNeeded).map(({ name }) => name),
  }) as fc.Arbitrary<Record<string, string>>;
}
