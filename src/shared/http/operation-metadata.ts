import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { z } from 'zod';
import type { Actor } from '../persistence/index.js';

/** Properties of an operation for hooks and interceptors, stored in the configuration of its route. */
export type OperationMetadata = {
  /** Whether the response contains client data. */
  clientData: boolean;
  /** Whether the operation has the query parameter `dryRun`. With `dryRun=true`, the request writes nothing. */
  dryRun: boolean;
  /** Names of the query parameters. */
  queryParameters: readonly string[];
  /** Whether unknown query parameters are ignored. Otherwise, they are refused with 400. */
  ignoresUnknownQuery: boolean;
  /** For secret links: derives the actor of the request from the path parameters. */
  resolveLinkActor?: ((params: Readonly<Record<string, string>>) => Actor) | undefined;
};

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: OperationMetadata;
  }
}

type ParameterMetadata = { data?: unknown; schema?: unknown };

/**
 * Returns the names of the query parameters from the `@Query` schema. Method decorators can call this function because
 * parameter decorators run first.
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
