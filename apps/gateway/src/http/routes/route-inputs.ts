import type { Dto } from '@gangan/protocol';
import { createParamDecorator, type ExecutionContext, type Type } from '@nestjs/common';
import { PARAMTYPES_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { FastifyRequest } from 'fastify';

/** Reads the query, which `validateInputs` replaces by the merged fields. `inputsOf` recognises it. */
const readMerged = (_: unknown, context: ExecutionContext): unknown =>
  context.switchToHttp().getRequest<FastifyRequest>().query;
const Merged = createParamDecorator(readMerged);

/** The fields of a GET, from its JSON body or its query. */
export const BodyOrQuery = (): ParameterDecorator => Merged('bodyOrQuery');

/** The fields of a GET, from its path or its query. */
export const PathOrQuery = (): ParameterDecorator => Merged('pathOrQuery');

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
