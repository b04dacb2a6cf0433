import { applyDecorators, Header, HttpCode, SetMetadata } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiResponse } from '@nestjs/swagger';
import type { z } from 'zod';
import { Access, PUBLIC, type Role } from '../access/index.js';
import { problemResponse } from '../errors/index.js';
import type { Actor } from '../persistence/index.js';

/** `no-store` on top of the headers of every answer, where it carries data of Clients (decisions, section 1). */
export const CLIENT_DATA_CACHE_CONTROL = 'max-age=1, no-cache, no-store';

const ERRORS = {
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

export type ErrorStatus = keyof typeof ERRORS;

export type OperationOptions = {
  /** Who may call; `PUBLIC` needs no token; absent: whom the controller's own `@Access` names. */
  role?: Role | typeof PUBLIC;
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
  /** Beyond 401, 403, 429, 500 and 503, which every closed operation can answer. */
  errors?: readonly ErrorStatus[];
  /** The answer carries data of Clients, so nobody on the way may keep it. */
  clientData?: boolean;
  /** Of a `PUBLIC` operation behind a secret link: as whom the request acts, by what its path says. */
  link?: (params: Readonly<Record<string, string>>) => Actor;
};

/** Metadata key of what an operation says of itself to those who handle every request. */
export const HANDLED = Symbol('handled');
export type Handled = Pick<OperationOptions, 'clientData' | 'link'>;

const DRY_RUN = { status: 200, description: 'Of a dry run: the same body, nothing is written.', headers: {} } as const;

/** Says of one operation who may call it and what the OpenAPI document tells of it. */
export function Operation({ role, summary, description, success, errors = [], ...more }: OperationOptions) {
  const { clientData, dryRun, link } = more;
  const always: ErrorStatus[] = role === PUBLIC ? [429, 500, 503] : [401, 403, 429, 500, 503];
  return applyDecorators(
    ...(role === undefined ? [] : [Access(role)]),
    HttpCode(success.status),
    SetMetadata<symbol, Handled>(HANDLED, { clientData, link }),
    ApiOperation({ summary, description: description ?? summary }),
    ApiResponse(successResponse(success)),
    ...(dryRun ? [ApiResponse(successResponse({ ...success, ...DRY_RUN }))] : []),
    ...[...errors, ...always].map((status) => ApiResponse({ status, ...problemResponse(ERRORS[status]) })),
    ...(role === PUBLIC ? [] : [ApiBearerAuth()]),
    ...(clientData ? [Header('cache-control', CLIENT_DATA_CACHE_CONTROL)] : []),
  );
}

function successResponse({ status, description, schema, headers = {} }: OperationOptions['success']) {
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
