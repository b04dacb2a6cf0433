import { applyDecorators, Header, HttpCode } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse } from '@nestjs/swagger';
import type { z } from 'zod';
import { ACCESS_ERROR_DESCRIPTIONS } from '../access/index.js';
import { createProblemResponse } from '../errors/index.js';
import { CLIENT_DATA_CACHE_CONTROL } from './cache-control.js';
import { CONSISTENCY_TOKEN_PARAMETER } from './consistency-token.js';
import { ETAG_RESPONSE_HEADER } from './etag.js';
import { readBodySchema, readQueryParameters, type OperationMetadata } from './operation-metadata.js';
import { documentPreferences } from './prefer-documentation.js';
import type { HttpPreferenceName } from './prefer.js';
import { AddRouteConfig } from './route-config.js';
import { toSentPointer } from '../validation/index.js';
import { toSuccessResponse, type SuccessResponse } from './success-response.js';

/** Descriptions of the error responses in the OpenAPI document. */
export const ERROR_DESCRIPTIONS = {
  400: 'The request is malformed; `errors` names each field. Nothing is stored.',
  ...ACCESS_ERROR_DESCRIPTIONS,
  404: 'There is no such record, or it is not yours: the answer is the same.',
  409: 'The request conflicts with the stored state.',
  410: 'The sync token is too old, or belongs to another caller: start again with `sync=true`.',
  412: '`If-Match` does not name the current version: read the record again. Nothing is stored.',
  413: 'The body is larger than 1 MiB, or that of an import than 8 MiB or 10,000 lines.',
  415: 'The body is not application/json (that of an import: application/x-ndjson) in UTF-8.',
  422: 'The request is well-formed, but refers to a record that cannot be used here; see `errors`. Nothing is stored.',
  428: '`If-Match` is missing.',
  429: 'More requests than the caller, or the address, may make in this minute; `Retry-After` says when to try again.',
  500: 'Something went wrong on our side. Nothing is stored.',
  503: 'The service cannot answer right now; `Retry-After` says when to try again.',
} as const;

export type ErrorStatus = keyof typeof ERROR_DESCRIPTIONS;

export type OperationOptions = {
  /** Name of the operation in generated clients, without the role. Defaults to the method name. */
  operationId?: string;
  summary: string;
  description?: string;
  success: SuccessResponse;
  /** Documents that a request with `dryRun=true` returns 200 and the same body. */
  dryRun?: boolean;
  /** Error statuses in addition to 400, 401, 403, 429, 500 and 503, which every operation with a role can return. */
  errors?: readonly ErrorStatus[];
  /** Whether the response contains client data, which caches must not store. */
  clientData?: boolean;
  /**
   * Set for reads whose response may be a few seconds old, such as lists, searches and exports. If the caller sends the
   * consistency token of their last write, a replica serves the read; otherwise, the primary does.
   */
  mayBeStale?: boolean;
  /** For `PUBLIC` operations with a secret link: derives the actor of the request from the path parameters. */
  resolveLinkActor?: OperationMetadata['resolveLinkActor'];
  /**
   * Set if the operation supports `Prefer: return=minimal` and `return=representation` (RFC 7240). `default` means that
   * the response contains the representation unless the caller prefers otherwise. A schema describes the representation
   * that the handler returns if `@WantsRepresentation()` is true.
   */
  representation?: 'default' | z.ZodType;
  /**
   * Returns the version of the record if the result contains a single record. The version becomes the `ETag`. Not
   * called for dry runs.
   */
  versionOf?: OperationMetadata['versionOf'];
  /**
   * For an administrator's operation on one Clinic: returns the Clinic that a result concerns. The audit entry of the
   * request is also written to the audit trail of that Clinic.
   */
  clinicOf?: OperationMetadata['clinicOf'];
  /**
   * Whether the record version in the `ETag` changes whenever the response changes. Only then can it be used for 304
   * responses.
   */
  isResponseVersion?: boolean;
  /**
   * Whether to ignore unknown query parameters and body fields, unless the request has `Prefer: handling=strict`. Only
   * for the operations in the specification.
   */
  isLenient?: boolean;
};

const DRY_RUN = {
  status: 200,
  description: 'The result of a dry run: the same body, but nothing is written.',
} as const;

/** Declares an operation: its OpenAPI documentation, and the metadata that hooks and interceptors read. */
export function Operation({ summary, description, success, errors = [], ...more }: OperationOptions) {
  const {
    operationId,
    clientData = false,
    dryRun,
    resolveLinkActor,
    isLenient = false,
    isResponseVersion = false,
    mayBeStale = false,
  } = more;
  // Mail programs add query parameters to links, so unknown ones must be ignored.
  const ignoresUnknownQuery = resolveLinkActor !== undefined;
  const { representation, versionOf, clinicOf } = more;
  const preferences: HttpPreferenceName[] = [
    ...(isLenient ? (['handling'] as const) : []),
    ...(representation ? (['return'] as const) : []),
  ];
  const documented = versionOf ? { ...success, headers: { ...ETAG_RESPONSE_HEADER, ...success.headers } } : success;
  // If both have the status 200, the document has one response for both.
  const dryRunHeaders = success.status === DRY_RUN.status ? documented.headers : {};
  return applyDecorators(
    HttpCode(success.status),
    StoreMetadata({
      ...{ clientData, resolveLinkActor, isLenient, ignoresUnknownQuery, preferences, versionOf, isResponseVersion },
      ...{ mayBeStale, clinicOf },
    }),
    ...(mayBeStale ? [ApiHeader(CONSISTENCY_TOKEN_PARAMETER)] : []),
    ApiOperation({ ...(operationId && { operationId }), summary, description: description ?? summary }),
    ApiResponse(toSuccessResponse(documented)),
    ...documentPreferences(preferences, documented, representation),
    ...(dryRun ? [ApiResponse(toSuccessResponse({ ...success, ...DRY_RUN, headers: dryRunHeaders }))] : []),
    ...[...new Set([...commonErrors(ignoresUnknownQuery), ...errors])].map((status) =>
      ApiResponse({ status, ...createProblemResponse(ERROR_DESCRIPTIONS[status]) }),
    ),
    ...(clientData ? [Header('cache-control', CLIENT_DATA_CACHE_CONTROL)] : []),
  );
}

/** Stores the metadata of the operation in the configuration of its route, where hooks can read it. */
function StoreMetadata(
  metadata: Omit<OperationMetadata, 'queryParameters' | 'bodySchema' | 'toSentPointer' | 'dryRun'>,
): MethodDecorator {
  return (target, key, descriptor) => {
    const queryParameters = readQueryParameters(target, key);
    const bodySchema = readBodySchema(target, key);
    const operation = {
      ...metadata,
      ...{ queryParameters, bodySchema, dryRun: queryParameters.includes('dryRun') },
      toSentPointer: (body: unknown, pointer: string) => toSentPointer(bodySchema, body, pointer),
    };
    AddRouteConfig({ operation })(target, key, descriptor);
  };
}

/**
 * Returns the error statuses that every operation can return. For operations with a required role, `@Access` adds 401
 * and 403.
 */
function commonErrors(ignoresUnknownQuery: boolean): ErrorStatus[] {
  return ignoresUnknownQuery ? [429, 500, 503] : [400, 429, 500, 503];
}
