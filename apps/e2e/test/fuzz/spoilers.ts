import fc from 'fast-check';
import type { Operation } from '../interface/documented-api.js';
import type { RequestParts } from '../interface/request-parts.js';
import { oddBody, oddHeader, oddJson, oddMethod, oddTail, oddText, oddType } from './odd.js';

type Spoiler = (operation: Operation) => fc.Arbitrary<(parts: RequestParts) => RequestParts>;

/** Each makes one part of a request invalid. */
export const spoilers: readonly Spoiler[] = [
  fieldsOfWrongKind,
  fieldsLeftOut,
  () => fc.constant((parts) => ({ ...parts, body: undefined })),
  () => oddBody.map((body) => (parts) => ({ ...parts, body })),
  () => oddType.map((contentType) => (parts) => ({ ...parts, contentType })),
  () => oddMethod.map((method) => (parts) => ({ ...parts, method })),
  () => oddTail.map((tail) => (parts) => ({ ...parts, tail })),
  () => oddHeader.map((header) => (parts) => ({ ...parts, headers: [...parts.headers, header] })),
  headersLeftOut,
  oddQueries,
  oddIds,
];

const namesOf = ({ parameters }: Operation, place?: string): string[] =>
  parameters.filter((parameter) => place === undefined || parameter.in === place).map(({ name }) => name);

const someName = (operation: Operation): fc.Arbitrary<string> =>
  fc.oneof(fc.constantFrom('x', 'id', 'phone', '__proto__', 'constructor', ...namesOf(operation)), oddText);

const fieldsOf = ({ body }: RequestParts): Record<string, string> =>
  body && !Buffer.isBuffer(body) ? { ...body } : {};

function fieldsOfWrongKind(operation: Operation): ReturnType<Spoiler> {
  return fc.tuple(someName(operation), oddJson, fc.nat()).map(([name, value, index]) => (parts) => {
    const fields = fieldsOf(parts);
    const own = Object.keys(fields);
    const chosen = index % 2 === 0 ? (own[index % own.length] ?? name) : name;
    return { ...parts, body: { ...fields, [chosen]: value } };
  });
}

function fieldsLeftOut(): ReturnType<Spoiler> {
  return fc.nat(5).map((index) => (parts) => {
    const left = Object.entries(fieldsOf(parts)).filter((_, place) => place !== index);
    return { ...parts, body: Object.fromEntries(left) };
  });
}

function headersLeftOut(): ReturnType<Spoiler> {
  return fc.nat(1).map((index) => (parts) => ({
    ...parts,
    headers: parts.headers.filter((_, place) => place !== index),
  }));
}

function oddQueries(operation: Operation): ReturnType<Spoiler> {
  return fc
    .tuple(someName(operation), oddText)
    .map((pair) => (parts) => ({ ...parts, query: [...parts.query, pair] }));
}

function oddIds(operation: Operation): ReturnType<Spoiler> {
  return fc
    .tuple(fc.constantFrom('id', ...namesOf(operation, 'path')), oddText)
    .map(([name, value]) => (parts) => ({ ...parts, params: { ...parts.params, [name]: value } }));
}
