import { fromQuery } from '@gangan/contracts';
import { type Dto, type FieldError, invalidRequest } from '@gangan/protocol';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { jsonFaults } from './json-faults.js';

type Fields = Readonly<Record<string, unknown>>;

/** How Nest's notes of a route's parameters tell a `@BodyOrQuery()` from others. */
export const bodyOrQuery = (dto: Dto<object> | undefined, context: ExecutionContext): Fields => {
  const { body, query } = context.switchToHttp().getRequest<FastifyRequest>();
  const asked = dto ? fromQuery(dto, query as Fields) : query;
  return mergeFields((body ?? {}) as Fields, asked as Fields);
};

/** The fields of a GET, which may stand in its JSON body or in its query. Numbers in a query need the DTO. */
export const BodyOrQuery = createParamDecorator(bodyOrQuery);

/** @throws AppError 400 when a field is given twice and differs, or holds text that nothing can hold */
export function mergeFields(body: Fields, query: Fields): Fields {
  const asked = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, restorePlus(value)]));
  const faults = [...jsonFaults(asked), ...contradictions(body, asked)];
  if (faults.length > 0) throw invalidRequest(faults);
  return { ...asked, ...withoutNull(body) };
}

const contradictions = (body: Fields, query: Fields): FieldError[] =>
  Object.keys(query)
    .filter((name) => given(body, name) && body[name] !== query[name])
    .map((field) => ({
      field,
      message: `${field} is given in the body and in the query, and the two differ`,
      type: 'value_error',
    }));

const given = (fields: Fields, name: string): boolean => Object.hasOwn(fields, name) && fields[name] !== null;

const withoutNull = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

/** An international number whose `+` was not encoded arrives with a space in its place. */
export const restorePlus = (value: unknown): unknown =>
  typeof value === 'string' ? value.replace(/^ (?=\d)/, '+') : value;
