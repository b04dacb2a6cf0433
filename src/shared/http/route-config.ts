import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import type { FastifyContextConfig } from 'fastify';

/**
 * Adds to the configuration of the Fastify route of a handler, where hooks can read it before Nest is asked.
 * `RouteConfig` of Nest replaces what another decorator has set.
 */
export function AddRouteConfig(config: FastifyContextConfig): MethodDecorator {
  return (_target, _key, descriptor) => {
    const handler = descriptor.value as object;
    const given = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, handler) as FastifyContextConfig | undefined;
    Reflect.defineMetadata(FASTIFY_ROUTE_CONFIG_METADATA, { ...given, ...config }, handler);
  };
}
