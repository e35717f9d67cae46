import fc from 'fast-check';
import type { DescribedInterface, Operation, Parameter } from '../interface/described.js';
import type { Sent } from '../interface/exchange.js';
import { assemble, bareParts, type RequestParts } from '../interface/request-parts.js';
import { arbitraryOf } from './arbitrary-of.js';
import { spoilers } from './spoilers.js';

export interface FuzzedRequest extends Sent {
  /** Whether method and path still are those of the operation. */
  readonly onRoute: boolean;
}

/** Requests that fit the description of an operation, and the same with up to three things wrong. */
export function requestsOf(
  operation: Operation,
  api: DescribedInterface,
  key: string,
): fc.Arbitrary<FuzzedRequest> {
  const spoiling = fc.array(fc.oneof(...spoilers.map((spoiler) => spoiler(operation))), { maxLength: 3 });
  return fc.tuple(validParts(operation, api, key), spoiling).map(([valid, spoils]) => {
    const parts = spoils.reduce((sum, spoil) => spoil(sum), valid);
    return { ...assemble(parts), onRoute: parts.method === operation.method && parts.tail === '' };
  });
}

function validParts(operation: Operation, api: DescribedInterface, key: string): fc.Arbitrary<RequestParts> {
  const bare = bareParts(operation, key);
  return fc
    .record({
      params: parametersIn('path', operation, api),
      query: parametersIn('query', operation, api),
      headers: parametersIn('header', operation, api),
      body: bodies(operation, api),
    })
    .map(({ params, query, headers, body }) => ({
      ...bare,
      params,
      query: Object.entries(query),
      headers: [...bare.headers, ...Object.entries(headers)],
      body,
    }));
}

function parametersIn(place: Parameter['in'], operation: Operation, api: DescribedInterface) {
  const parameters = operation.parameters.filter((parameter) => parameter.in === place);
  const values = parameters.map(({ name, schema }) => [name, arbitraryOf(schema, api).map(String)] as const);
  return fc.record<Record<string, string>>(Object.fromEntries(values), {
    requiredKeys: parameters.filter(({ required }) => required).map(({ name }) => name),
  }) as fc.Arbitrary<Record<string, string>>;
}

function bodies({ body }: Operation, api: DescribedInterface): fc.Arbitrary<RequestParts['body']> {
  if (!body) return fc.constant(undefined);
  const fields = arbitraryOf(body.schema, api).map((value) =>
    Object.fromEntries(Object.entries(value as object).map(([name, inner]) => [name, JSON.stringify(inner)])),
  );
  return fc.option(fields, { nil: undefined, freq: body.required ? 20 : 2 });
}
