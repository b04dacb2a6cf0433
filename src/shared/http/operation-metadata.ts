import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { z } from 'zod';
import type { Actor } from '../persistence/index.js';

/** What an operation says of itself to those who handle every request. Part of the configuration of its route. */
export type OperationMetadata = {
  /** The answer carries data of Clients. */
  clientData: boolean;
  /** It has the query parameter `dryRun`: with `dryRun=true` the request writes nothing. */
  dryRun: boolean;
  /** Names of the query parameters. */
  queryParameters: readonly string[];
  /** Query parameters that it does not have are ignored; otherwise they are refused. */
  ignoresUnknownQuery: boolean;
  /** Of an operation behind a secret link: as whom the request acts, by what its path says. */
  resolveLinkActor?: ((params: Readonly<Record<string, string>>) => Actor) | undefined;
};

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: OperationMetadata;
  }
}

type ParameterMetadata = { data?: unknown; schema?: unknown };

/**
 * The query parameters of a handler, from the schema of its `@Query`. Decorators of parameters run before those of
 * their method, so it is known when the method is decorated.
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
