import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';

/** Lays something into Fastify's route options, where hooks find it. Nest's own decorator would replace what lies there. */
export const RouteFacts =
  (facts: object): MethodDecorator =>
  (_controller, _name, { value: method }) => {
    const known = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, method as object) as object | undefined;
    Reflect.defineMetadata(FASTIFY_ROUTE_CONFIG_METADATA, { ...known, ...facts }, method as object);
  };
