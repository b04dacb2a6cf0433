import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { z } from 'zod';
import type { Actor } from '../persistence/index.js';

/** Properties of an operation for hooks and interceptors. Part of the configuration of its route. */
export type OperationMetadata = {
  /** The response contains data of Clients. */
  clientData: boolean;
  /** The operation has the query parameter `dryRun`: with `dryRun=true` the request writes nothing. */
  dryRun: boolean;
  /** Names of the query parameters. */
  queryParameters: readonly string[];
  /** Unknown query parameters are ignored. Otherwise they are refused with 400. */
  ignoresUnknownQuery: boolean;
  /** For a secret link: returns the actor of the request from the parameters of its path. */
  resolveLinkActor?: ((params: Readonly<Record<string, string>>) => Actor) | undefined;
};

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: OperationMetadata;
  }
}

type ParameterMetadata = { data?: unknown; schema?: unknown };

/**
 * Returns the names of the query parameters from the schema of `@Query`. A method decorator may call it, because decorators
 * of parameters run before those of their method.
 */
export function readQueryParameters(target: object, key: string | symbol): string[] {
  const parameters = Reflect.getMetadata(ROUTE_ARGS_METADATA, target.constructor, key) as
    Record<string, ParameterMetadata> | undefined;
  return Object.entries(parameters ?? {}).flatMap(([type, { schema }]) => {
    if (!type.startsWith(`${RouteParamtypes.QUERY}:`)) return [];
    if (!(schema instanceof z.ZodObject)) throw new Error(`@Query of ${String(key)} must have the schema of an object`);
    return Object.keys(schema.shape);
  });
}
