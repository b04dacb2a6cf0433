import { applyDecorators, createParamDecorator, SetMetadata, type ExecutionContext } from '@nestjs/common';
import { ApiBearerAuth, ApiResponse } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { createProblemResponse } from '../errors/index.js';
import type { Principal } from './principal.js';
import type { Role } from './roles.js';

/** Metadata key under which `@Access` stores its value. */
export const ACCESS_METADATA_KEY = Symbol('access');
/** Marks a route that needs no token. */
export const PUBLIC = 'PUBLIC';

/** The role that a route requires, or `PUBLIC`. */
export type RequiredAccess = Role | typeof PUBLIC;

/** Descriptions of the errors that every route with a required role may return. */
export const ACCESS_ERROR_DESCRIPTIONS = {
  401: 'No token, or one that is broken, expired or not yet valid.',
  403: 'The role of the token, its Clinic or its deactivated record may not do this.',
} as const;

/**
 * Restricts a route, or all routes of a controller, to one role or makes them `PUBLIC`. The guard enforces the role,
 * and the OpenAPI document shows it. A route without this decorator is closed to every role.
 */
export function Access(role: RequiredAccess): ClassDecorator & MethodDecorator {
  const storeRole = SetMetadata(ACCESS_METADATA_KEY, role);
  if (role === PUBLIC) return storeRole;
  const errors = Object.entries(ACCESS_ERROR_DESCRIPTIONS).map(([status, description]) =>
    ApiResponse({ status: Number(status), ...createProblemResponse(description) }),
  );
  return applyDecorators(storeRole, ApiBearerAuth(), ...errors);
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The role that may call the route, or `PUBLIC`. If absent, the route is closed to every role. */
    access?: RequiredAccess | undefined;
  }
}

/** A request after authentication. Requests to public routes have no `user`. */
export type AuthenticatedRequest = FastifyRequest & { user?: Principal };

/** Parameter decorator that provides the principal of the request. Available on every route that requires a role. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const { user } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (user === undefined) throw new Error('@Caller() is not available on a public route');
  return user;
});
