import { applyDecorators, Header, HttpCode } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiResponse } from '@nestjs/swagger';
import type { z } from 'zod';
import { Access, PUBLIC, type Role } from '../access/index.js';
import { createProblemResponse } from '../errors/index.js';
import { CLIENT_DATA_CACHE_CONTROL } from './cache-control.js';
import { readQueryParameters, type OperationMetadata } from './operation-metadata.js';
import { AddRouteConfig } from './route-config.js';

const ERROR_DESCRIPTIONS = {
  400: 'The request is malformed; `errors` names each field. Nothing is stored.',
  401: 'No token, or one that is broken, expired or not yet valid.',
  403: 'The role of the token, its Clinic or its deactivated record may not do this.',
  404: 'There is no such record, or it is not yours: the answer is the same.',
  409: 'The request contradicts what is stored.',
  412: '`If-Match` names another version than the current one: read it again. Nothing is stored.',
  413: 'The body is larger than 1 MiB, or that of an import than 8 MiB or 10,000 lines.',
  415: 'The body is not application/json (that of an import: application/x-ndjson) in UTF-8.',
  422: 'Well-formed, but `errors` names something that cannot be used here. Nothing is stored.',
  428: '`If-Match` is missing.',
  429: 'More requests than the caller, or the address, may make in this minute; `Retry-After` says when to try again.',
  500: 'Something went wrong on our side. Nothing is stored.',
  503: 'The service cannot answer right now; `Retry-After` says when to try again.',
} as const;

export type ErrorStatus = keyof typeof ERROR_DESCRIPTIONS;

export type OperationOptions = {
  /** Who may call; `PUBLIC` needs no token; absent: whom the controller's own `@Access` names. */
  role?: Role | typeof PUBLIC;
  /** Name of the operation in generated clients. Default: the name of the method. */
  operationId?: string;
  summary: string;
  description?: string;
  success: {
    status: 200 | 201 | 204;
    description: string;
    schema?: z.ZodType;
    /** Response headers that are particular to this operation, with an example each. */
    headers?: Readonly<Record<string, { description: string; example: string }>>;
  };
  /** With `dryRun=true` the same body is answered with 200. */
  dryRun?: boolean;
  /** Beyond 400, 401, 403, 429, 500 and 503, which every closed operation can answer. */
  errors?: readonly ErrorStatus[];
  /** The answer carries data of Clients, so nobody on the way may keep it. */
  clientData?: boolean;
  /** Of a `PUBLIC` operation behind a secret link: as whom the request acts, by what its path says. */
  resolveLinkActor?: OperationMetadata['resolveLinkActor'];
  /**
   * Query parameters that it does not have are ignored, as in the operations of the specification. Otherwise they are
   * refused, but of a link: what others add to a link must not break it.
   */
  ignoresUnknownQuery?: boolean;
};

const DRY_RUN = { status: 200, description: 'Of a dry run: the same body, nothing is written.', headers: {} } as const;

/** Says of one operation who may call it and what the OpenAPI document tells of it. */
export function Operation({ role, summary, description, success, errors = [], ...more }: OperationOptions) {
  const {
    operationId,
    clientData = false,
    dryRun,
    resolveLinkActor,
    ignoresUnknownQuery = resolveLinkActor !== undefined,
  } = more;
  return applyDecorators(
    ...(role === undefined ? [] : [Access(role)]),
    HttpCode(success.status),
    StoreMetadata({ clientData, resolveLinkActor, ignoresUnknownQuery }),
    ApiOperation({ ...(operationId && { operationId }), summary, description: description ?? summary }),
    ApiResponse(toSuccessResponse(success)),
    ...(dryRun ? [ApiResponse(toSuccessResponse({ ...success, ...DRY_RUN }))] : []),
    ...[...new Set([...commonErrors(role, ignoresUnknownQuery), ...errors])].map((status) =>
      ApiResponse({ status, ...createProblemResponse(ERROR_DESCRIPTIONS[status]) }),
    ),
    ...(role === PUBLIC ? [] : [ApiBearerAuth()]),
    ...(clientData ? [Header('cache-control', CLIENT_DATA_CACHE_CONTROL)] : []),
  );
}

/** Tells hooks and interceptors what they must know of an operation. */
function StoreMetadata(metadata: Omit<OperationMetadata, 'queryParameters' | 'dryRun'>): MethodDecorator {
  return (target, key, descriptor) => {
    const queryParameters = readQueryParameters(target, key);
    const operation = { ...metadata, queryParameters, dryRun: queryParameters.includes('dryRun') };
    AddRouteConfig({ operation })(target, key, descriptor);
  };
}

/** What any operation of a role can answer. */
function commonErrors(role: OperationOptions['role'], ignoresUnknownQuery: boolean): ErrorStatus[] {
  return [
    ...(ignoresUnknownQuery ? [] : ([400] as const)),
    ...(role === PUBLIC ? [] : ([401, 403] as const)),
    429,
    500,
    503,
  ];
}

function toSuccessResponse({ status, description, schema, headers = {} }: OperationOptions['success']) {
  const documented = Object.entries(headers).map(([name, header]) => [
    name,
    { description: header.description, schema: { type: 'string', example: header.example } },
  ]);
  return {
    status,
    description,
    ...(schema ? { standardSchema: schema } : {}),
    headers: Object.fromEntries(documented) as Record<string, never>,
  };
}
