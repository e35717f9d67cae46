import type { FieldError } from '@gangan/protocol';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

export type Fields = Readonly<Record<string, unknown>>;

/** What was read of both takes the place of the query. */
const merged = (context: ExecutionContext): unknown =>
  context.switchToHttp().getRequest<FastifyRequest>().query;

/** How Nest's notes of a route's parameters tell a `@BodyOrQuery()` from others. */
export const bodyOrQuery = (_: unknown, context: ExecutionContext): unknown => merged(context);
export const pathOrQuery = (_: unknown, context: ExecutionContext): unknown => merged(context);

/** The fields of a GET, which may stand in its JSON body or in its query. */
export const BodyOrQuery = createParamDecorator(bodyOrQuery);

/** The fields of a GET, which may stand in its path or in its query. */
export const PathOrQuery = createParamDecorator(pathOrQuery);

export interface Merged {
  readonly fields: Fields;
  /** Fields that are given twice, and differ. */
  readonly contradictions: readonly FieldError[];
}

export function mergeFields(place: 'body' | 'path', given: Fields, query: Fields): Merged {
  const asked = withPlus(query);
  return {
    fields: { ...asked, ...withoutNull(given) },
    contradictions: Object.keys(asked)
      .filter((name) => isGiven(given, name) && given[name] !== asked[name])
      .map((field) => ({
        field,
        message: `${field} is given in the ${place} and in the query, and the two differ`,
        type: 'value_error',
      })),
  };
}

const isGiven = (fields: Fields, name: string): boolean =>
  Object.hasOwn(fields, name) && fields[name] !== null;

const withoutNull = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

/** An international number whose `+` was not encoded arrives with a space in its place. */
export const withPlus = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.replace(/^ (?=\d)/, '+') : value,
    ]),
  );
