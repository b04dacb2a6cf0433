import { createParamDecorator, SetMetadata, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Principal, Role } from './principal.js';

/** Metadata key of the value that `@Access` stores. */
export const ACCESS_METADATA = Symbol('access');
/** Marks a route that needs no token. */
export const PUBLIC = 'PUBLIC';

/** The role that a route requires, or `PUBLIC`. */
export type RequiredAccess = Role | typeof PUBLIC;

/** Opens a route, or all routes of a controller, to one role or to everybody. A route without it is closed to all. */
export const Access = (role: RequiredAccess) => SetMetadata(ACCESS_METADATA, role);

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The role that may call the route. Absent: the route is closed. */
    access?: RequiredAccess | undefined;
  }
}

/** A request after authentication. Requests to public routes have no `user`. */
export type AuthenticatedRequest = FastifyRequest & { user?: Principal };

/** Parameter decorator: the principal of the request. The guard sets it on every route that requires a role. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const { user } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (user === undefined) throw new Error('@Caller() is not available on a public route');
  return user;
});
