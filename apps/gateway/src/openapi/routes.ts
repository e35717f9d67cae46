import { type DynamicModule, RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, MODULE_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner } from '@nestjs/core';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import { inputsOf, type RouteInputs } from '../http/routes/route-inputs.js';
import { type Access, declaredAccess } from '../http/routes/access.js';
import { type DeclaredOperation, operationOf, type Tag, tagOf } from './decorators.js';

export interface Route {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** The path with parameters in braces: `/otp/{id}`. */
  readonly path: string;
  readonly access: Access;
  readonly tag: Tag;
  readonly operationId: string;
  readonly operation: DeclaredOperation;
  readonly inputs: RouteInputs;
}

type Module = Type | DynamicModule;

/** The controllers of a module and of its imports, read from metadata, without a running app. */
export const controllersOf = (module: Module): Type[] => [...new Set(allControllers(module))];

function allControllers(module: Module): Type[] {
  const type = 'module' in module ? module.module : module;
  const imports = (Reflect.getMetadata(MODULE_METADATA.IMPORTS, type) ?? []) as Module[];
  const controllers = (Reflect.getMetadata(MODULE_METADATA.CONTROLLERS, type) ?? []) as Type[];
  return [...controllers, ...imports.flatMap(allControllers)];
}

/** Every documented route, sorted by path. @throws if a route lacks its decorators */
export function routesOf(controllers: readonly Type[]): Route[] {
  return controllers.flatMap(routesOfController).sort((one, other) => (one.path < other.path ? -1 : 1));
}

function routesOfController(controller: Type): Route[] {
  const prototype = controller.prototype as Record<string, object>;
  return new MetadataScanner().getAllMethodNames(prototype).flatMap((name) => {
    const method = prototype[name];
    if (!method || !Reflect.hasMetadata(PATH_METADATA, method)) return [];
    const operation = operationOf(method);
    if (operation === 'undocumented') return [];
    const tag = tagOf(controller);
    const access = declaredAccess(Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, method));
    if (!operation || !tag || !access) {
      throw new Error(
        `${controller.name}.${name} needs @ApiOperation (or @Undocumented), @Scope or @Public, and its controller @ApiTag`,
      );
    }
    const verb = RequestMethod[Reflect.getMetadata(METHOD_METADATA, method) as number];
    return [
      {
        method: verb?.toLowerCase() as Route['method'],
        path: pathOf(controller, method),
        access,
        tag,
        operationId: operationIdOf(controller, name),
        operation,
        inputs: inputsOf(controller, name),
      },
    ];
  });
}

function pathOf(controller: object, method: object): string {
  const parts = [controller, method].map((target) => Reflect.getMetadata(PATH_METADATA, target) as string);
  const segments = parts.flatMap((part) => part.split('/')).filter((segment) => segment !== '');
  return `/${segments.map((segment) => segment.replace(/^:(.*)/, '{$1}')).join('/')}`;
}

/** `LookupController.phone` becomes `lookupPhone`. */
function operationIdOf(controller: Type, method: string): string {
  const domain = controller.name.replace(/Controller$/, '');
  return domain.charAt(0).toLowerCase() + domain.slice(1) + method.charAt(0).toUpperCase() + method.slice(1);
}
