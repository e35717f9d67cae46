import { RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner } from '@nestjs/core';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import { type Access, declaredAccess } from '../http/access.js';
import { answerOf, type Chapter, chapterOf, type DeclaredAnswer } from './answers.js';
import { inputsOf, type RouteInputs } from '../http/route-inputs.js';

/** A route as its controller declares it. */
export interface Route {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** With its parameters in braces: `/otp/{id}`. */
  readonly path: string;
  readonly access: Access;
  readonly chapter: Chapter;
  readonly operationId: string;
  readonly answer: DeclaredAnswer;
  readonly inputs: RouteInputs;
}

/** Every documented route of the app, by path. @throws for a route that does not say what it answers */
export function routesOf(controllers: readonly Type[]): Route[] {
  return controllers.flatMap(routesOfController).sort((one, other) => (one.path < other.path ? -1 : 1));
}

function routesOfController(controller: Type): Route[] {
  const prototype = controller.prototype as Record<string, object>;
  return new MetadataScanner().getAllMethodNames(prototype).flatMap((name) => {
    const method = prototype[name];
    if (!method || !Reflect.hasMetadata(PATH_METADATA, method)) return [];
    const answer = answerOf(method);
    if (answer === 'nothing') return [];
    const chapter = chapterOf(controller);
    const access = declaredAccess(Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, method));
    if (!answer || !chapter || !access) {
      throw new Error(
        `${controller.name}.${name} needs @Answers (or @Undocumented), @Scope or @Public, and its controller @DescribedIn`,
      );
    }
    return [
      {
        method: RequestMethod[
          Reflect.getMetadata(METHOD_METADATA, method) as number
        ]?.toLowerCase() as Route['method'],
        path: pathOf(controller, method),
        access,
        chapter,
        operationId: operationIdOf(controller, name),
        answer,
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

/** `LookupController.phone` is `lookupPhone`. */
function operationIdOf(controller: Type, method: string): string {
  const domain = controller.name.replace(/Controller$/, '');
  return domain.charAt(0).toLowerCase() + domain.slice(1) + method.charAt(0).toUpperCase() + method.slice(1);
}
