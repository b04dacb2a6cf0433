import { createParamDecorator, SetMetadata, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Principal, Role } from './principal.js';

/** Metadata key that the guard reads: the role that may call, or `PUBLIC`. */
export const ACCESS_METADATA = Symbol('access');
export const PUBLIC = 'PUBLIC';

/** Who may call a route: a role, or everybody. */
export type RequiredAccess = Role | typeof PUBLIC;

/** Opens a route, or all routes of a controller, to one role or to everybody. A route without it is closed to all. */
export const Access = (role: RequiredAccess) => SetMetadata(ACCESS_METADATA, role);

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call the route; absent: nobody. */
    access?: RequiredAccess | undefined;
  }
}

/** The request once it is authenticated. */
export type AuthenticatedRequest = FastifyRequest & { user?: Principal };

/** The verified caller. The guard has run before, so it is always there on a route with a role. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const { user } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (user === undefined) throw new Error('@Caller() stands on a route that is open to everybody');
  return user;
});
