import type { Dto } from '@gangan/protocol';
import { PARAMTYPES_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { Type } from '@nestjs/common';
import { bodyOrQuery, pathOrQuery } from './merged-fields.js';

/** Where a controller method takes its arguments from, and the classes they are held against. */
export interface RouteInputs {
  readonly body?: Dto<object>;
  readonly query?: Dto<object>;
  /** The fields may stand in either. */
  readonly bodyOrQuery?: Dto<object>;
  readonly pathOrQuery?: Dto<object>;
}

interface Argument {
  readonly index: number;
  readonly factory?: unknown;
}

const places: Readonly<Record<string, keyof RouteInputs>> = {
  [RouteParamtypes.BODY]: 'body',
  [RouteParamtypes.QUERY]: 'query',
};
const mergedPlaces = new Map<unknown, keyof RouteInputs>([
  [bodyOrQuery, 'bodyOrQuery'],
  [pathOrQuery, 'pathOrQuery'],
]);
const plainTypes: readonly unknown[] = [undefined, Object, String, Number, Boolean, Array];

/** Reads what Nest has noted of the parameter decorators: its keys are `<kind>:<index>`. */
export function inputsOf(controller: Type, method: string): RouteInputs {
  const prototype = controller.prototype as object;
  const types = (Reflect.getMetadata(PARAMTYPES_METADATA, prototype, method) ?? []) as Dto<object>[];
  const noted = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method) ?? {}) as Record<
    string,
    Argument
  >;
  const inputs = Object.entries(noted).map(([key, { index, factory }]) => [
    mergedPlaces.get(factory) ?? places[key.split(':')[0] ?? ''],
    types[index],
  ]);
  return Object.fromEntries(
    inputs.filter(([place, dto]) => place !== undefined && !plainTypes.includes(dto)),
  ) as RouteInputs;
}
