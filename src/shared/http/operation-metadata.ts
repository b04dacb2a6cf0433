import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { z } from 'zod';
import type { Actor } from '../persistence/index.js';
import type { HttpPreferenceName } from './prefer.js';

/** Properties of an operation for hooks and interceptors, stored in the configuration of its route. */
export type OperationMetadata = {
  /** Whether the response contains client data. */
  clientData: boolean;
  /** Whether the operation has the query parameter `dryRun`. With `dryRun=true`, the request writes nothing. */
  dryRun: boolean;
  /** Whether the response may lack recent changes by other callers, so that a replica may serve the operation. */
  mayBeStale: boolean;
  /** Names of the query parameters. */
  queryParameters: readonly string[];
  /** The schema of a JSON body; absent if the operation has no JSON body. */
  bodySchema?: z.ZodType | undefined;
  /** Returns a JSON pointer with the spellings of field names that the body has. */
  toSentPointer: (body: unknown, pointer: string) => string;
  /** Whether unknown query parameters and members of the body are ignored. Otherwise, they are refused with 400. */
  isLenient: boolean;
  /** Whether unknown query parameters are ignored. Otherwise, they are refused with 400. */
  ignoresUnknownQuery: boolean;
  /** Returns the version of the record if the result contains a single record. The version becomes the `ETag`. */
  versionOf?: ((result: never) => number | undefined) | undefined;
  /** Whether the record version in the `ETag` changes whenever the response changes. */
  isResponseVersion: boolean;
  /** The preferences (RFC 7240) that the operation supports. */
  preferences: readonly HttpPreferenceName[];
  /**
   * For administrators' operations: returns the Clinic that a result concerns. The audit entry of the request is also
   * written to the audit trail of that Clinic.
   */
  clinicOf?: ((result: never) => number) | undefined;
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
  return readParameters(target, key, RouteParamtypes.QUERY).flatMap(({ schema }) => {
    if (!(schema instanceof z.ZodObject)) throw new Error(`@Query of ${String(key)} must have the schema of an object`);
    return Object.keys(schema.shape);
  });
}

/** Returns the `@Body` schema, or undefined if the operation has no body. */
export function readBodySchema(target: object, key: string | symbol): z.ZodType | undefined {
  const [body] = readParameters(target, key, RouteParamtypes.BODY);
  if (body === undefined) return undefined;
  if (!(body.schema instanceof z.ZodType)) throw new Error(`@Body of ${String(key)} must have a schema`);
  return body.schema;
}

function readParameters(target: object, key: string | symbol, kind: RouteParamtypes): ParameterMetadata[] {
  const parameters = Reflect.getMetadata(ROUTE_ARGS_METADATA, target.constructor, key) as
    Record<string, ParameterMetadata> | undefined;
  return Object.entries(parameters ?? {}).flatMap(([type, metadata]) =>
    type.startsWith(`${kind}:`) ? [metadata] : [],
  );
}
