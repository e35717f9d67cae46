import type { DynamicModule, Type } from '@nestjs/common';
import { MODULE_METADATA } from '@nestjs/common/constants.js';

type Module = Type | DynamicModule;

/** The controllers of a module and of all that it imports, without an app that runs. */
export const controllersOf = (module: Module): Type[] => [...new Set(found(module))];

function found(module: Module): Type[] {
  const type = 'module' in module ? module.module : module;
  const imports = (Reflect.getMetadata(MODULE_METADATA.IMPORTS, type) ?? []) as Module[];
  const controllers = (Reflect.getMetadata(MODULE_METADATA.CONTROLLERS, type) ?? []) as Type[];
  return [...controllers, ...imports.flatMap(found)];
}
