import { Injectable, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { ACCESS_METADATA, PUBLIC, type RequiredAccess } from '../../shared/access/index.js';

/** The largest body that is read of a caller without a token, in bytes: a form whose fields say nothing. */
const PUBLIC_BODY_LIMIT = 1_024;

type Controller = { new (): object; prototype: Record<string, object> };

/** Puts what each route demands of its caller into the configuration of the route, where hooks of Fastify read it. */
@Injectable()
export class RouteAccess {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  /**
   * For all routes that are registered from now on.
   *
   * @param isPublicUrl routes of no controller that are open to everybody, by their URL
   */
  registerHook(fastify: FastifyInstance, isPublicUrl: (url: string) => boolean): void {
    const demands = new Map(this.controllers().flatMap((controller) => this.findRequirements(controller)));
    fastify.addHook('onRoute', (route) => {
      const access = isPublicUrl(route.url) ? PUBLIC : findRequirement(route, demands);
      route.config = { ...route.config, access };
      if (access === PUBLIC) route.bodyLimit = PUBLIC_BODY_LIMIT;
    });
  }

  private controllers(): Controller[] {
    return this.discovery.getControllers().map(({ metatype }) => metatype as Controller);
  }

  private findRequirements(controller: Controller): [string, RequiredAccess | undefined][] {
    const { prototype } = controller;
    return this.scanner.getAllMethodNames(prototype).flatMap((name) => {
      const handler = prototype[name]!;
      const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
      if (method === undefined) return [];
      // What the route says of itself, else what its controller says of all its routes.
      const demand = this.reflector.getAllAndOverride<RequiredAccess | undefined>(ACCESS_METADATA, [
        handler,
        controller,
      ] as never);
      return joinPaths(controller, handler).map((path): [string, typeof demand] => [
        `${RequestMethod[method]} ${path}`,
        demand,
      ]);
    });
  }
}

/** A HEAD is answered as its GET is. */
function findRequirement({ method, url }: RouteOptions, demands: ReadonlyMap<string, RequiredAccess | undefined>) {
  const [first] = [method].flat();
  return demands.get(`${first === 'HEAD' ? 'GET' : first} ${url}`);
}

function joinPaths(...parts: object[]): string[] {
  const [prefixes, paths] = parts.map((part) => [Reflect.getMetadata(PATH_METADATA, part) as string | string[]].flat());
  return prefixes!.flatMap((prefix) =>
    paths!.map(
      (path) =>
        `/${[prefix, path]
          .flatMap((part) => part.split('/'))
          .filter(Boolean)
          .join('/')}`,
    ),
  );
}
