import type { Dto, FieldError } from '@gangan/protocol';
import { createParamDecorator, type ExecutionContext, type Type } from '@nestjs/common';
import { PARAMTYPES_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { FastifyRequest } from 'fastify';

export type Fields = Readonly<Record<string, unknown>>;

/** Reads the query, which the inputs interceptor replaces by the merged fields. `inputsOf` recognises it. */
const readMerged = (_: unknown, context: ExecutionContext): unknown =>
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

/** The DTO classes of a controller method, by the part of the request they are read from. */
export type RouteInputs = {
  readonly [source in 'body' | 'query' | 'bodyOrQuery' | 'pathOrQuery']?: Dto<object>;
};

interface Argument {
  readonly index: number;
  readonly factory?: unknown;
  readonly data?: unknown;
}

const sources: Readonly<Record<string, keyof RouteInputs>> = {
  [RouteParamtypes.BODY]: 'body',
  [RouteParamtypes.QUERY]: 'query',
};
const plainTypes: readonly unknown[] = [undefined, Object, String, Number, Boolean, Array];

/** Reads the metadata of Nest's parameter decorators, whose keys are `<kind>:<index>`. */
export function inputsOf(controller: Type, method: string): RouteInputs {
  const prototype = controller.prototype as object;
  const types = (Reflect.getMetadata(PARAMTYPES_METADATA, prototype, method) ?? []) as Dto<object>[];
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method) ?? {}) as Record<
    string,
    Argument
  >;
  const inputs = Object.entries(parameters).map(([key, { index, factory, data }]) => [
    factory === readMerged ? data : sources[key.split(':')[0] ?? ''],
    types[index],
  ]);
  return Object.fromEntries(
    inputs.filter(([source, dto]) => source !== undefined && !plainTypes.includes(dto)),
  ) as RouteInputs;
}
