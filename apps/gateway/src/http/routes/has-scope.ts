import type { KeyScope } from '@gangan/protocol';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** Whether the key of the request has a scope beside the one that its route needs. */
export const HasScope = createParamDecorator(
  (scope: KeyScope, context: ExecutionContext): boolean =>
    context.switchToHttp().getRequest<FastifyRequest>().apiKey?.scopes.includes(scope) ?? false,
);
