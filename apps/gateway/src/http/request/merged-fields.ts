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

export interface MergedFields {
  readonly fields: Fields;
  /** Fields that are given twice with different values. */
  readonly contradictions: readonly FieldError[];
}

export function mergeFields(source: 'body' | 'path', given: Fields, query: Fields): MergedFields {
  const queried = withPlus(query);
  return {
    fields: { ...queried, ...withoutNull(given) },
    contradictions: Object.keys(queried)
      .filter((name) => isGiven(given, name) && given[name] !== queried[name])
      .map((field) => ({
        field,
        message: `${field} has different values in the ${source} and in the query`,
        type: 'value_error',
      })),
  };
}

const isGiven = (fields: Fields, name: string): boolean =>
  Object.hasOwn(fields, name) && fields[name] !== null;

const withoutNull = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

/** An unencoded `+` of an international number arrives as a space. */
export const withPlus = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.replace(/^ (?=\d)/, '+') : value,
    ]),
  );
