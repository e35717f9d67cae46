import type { KeyScope } from '@gangan/protocol';
import { applyDecorators, HttpCode, HttpStatus, type Type } from '@nestjs/common';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import { inputsOf, type RouteInputs } from './route-inputs.js';

/** Who may call a route, and what it accepts. */
export interface Access {
  readonly scope: KeyScope | 'public';
  /** In bytes; 64 KiB by default. */
  readonly bodyLimit?: number;
  /** Values in the JSON body; 5,000 by default. */
  readonly maxValues?: number;
  /**
   * `csv`: a file, which the controller reads as a stream. `raw`: any body, which the controller gets as bytes. By default
   * a route takes a JSON object.
   */
  readonly takes?: 'csv' | 'raw';
  /** A POST or PATCH that changes nothing: its `Idempotency-Key` is ignored, and its response is not stored. */
  readonly isRead?: boolean;
  /** The response contains a secret: a copy that is stored for an `Idempotency-Key` is sealed. */
  readonly returnsSecret?: boolean;
}

/** The route requires an API key with this scope. */
export const Scope = (scope: KeyScope, options: Omit<Access, 'scope'> = {}): MethodDecorator =>
  declareAccess({ ...options, scope });

/** The route requires no API key. */
export const Public = (options: Omit<Access, 'scope'> = {}): MethodDecorator =>
  declareAccess({ ...options, scope: 'public' });

/**
 * Every success is 200; Nest would respond to a POST with 201. The decorators of parameters have run before, so the inputs
 * of the method are known.
 */
const declareAccess =
  (access: Access): MethodDecorator =>
  (controller, name, method) => {
    const inputs = inputsOf(controller.constructor as Type, String(name));
    applyDecorators(HttpCode(HttpStatus.OK), ExtendRouteConfig({ access, inputs }))(controller, name, method);
  };

export const declaredAccess = (routeConfig: unknown): Access | undefined =>
  (routeConfig as { readonly access?: Access } | undefined)?.access;

export const declaredInputs = (routeConfig: unknown): RouteInputs =>
  (routeConfig as { readonly inputs?: RouteInputs } | undefined)?.inputs ?? {};

/** Adds to Fastify's route config, where hooks read it. Nest's own `@RouteConfig` would replace what is there. */
export const ExtendRouteConfig =
  (addition: object): MethodDecorator =>
  (_controller, _name, { value: method }) => {
    const config = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, method as object) as object | undefined;
    Reflect.defineMetadata(FASTIFY_ROUTE_CONFIG_METADATA, { ...config, ...addition }, method as object);
  };

/** Called every few seconds by monitoring: never shed, and logged only on failure. */
export const healthPaths: ReadonlySet<string | undefined> = new Set(['/healthz', '/readyz']);
