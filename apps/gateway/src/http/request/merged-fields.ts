import type { FieldError } from '@gangan/protocol';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

export type Fields = Readonly<Record<string, unknown>>;

/** Reads the query, which the inputs interceptor replaces by the merged fields. `route-inputs.ts` recognises it. */
export const readMerged = (_: unknown, context: ExecutionContext): unknown =>
  context.switchToHttp().getRequest<FastifyRequest>().query;
const Merged = createParamDecorator(readMerged);

/** The fields of a GET, from its JSON body or its query. */
export const BodyOrQuery = (): ParameterDecorator => Merged('bodyOrQuery');

/** The fields of a GET, from its path or its query. */
export const PathOrQuery = (): ParameterDecorator => Merged('pathOrQuery');

/** `contradictions` are fields that are given twice with different values. `null` means absent. */
export function mergeFields(source: 'body' | 'path', fields: Fields, query: Fields) {
  const queried = withPlus(query);
  const given: Fields = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
  const contradictions = Object.keys(queried)
    .filter((name) => Object.hasOwn(given, name) && given[name] !== queried[name])
    .map((field): FieldError => {
      const message = `${field} has different values in the ${source} and in the query`;
      return { field, message, type: 'value_error' };
    });
  return { fields: { ...queried, ...given }, contradictions };
}

/** An unencoded `+` of an international number arrives as a space. */
export const withPlus = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.replace(/^ (?=\d)/, '+') : value,
    ]),
  );
