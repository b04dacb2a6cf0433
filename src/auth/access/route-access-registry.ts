import { Injectable, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { ACCESS_METADATA_KEY, PUBLIC, type RequiredAccess } from '../../shared/access/index.js';

/** Maximum size in bytes of a request body on a public route. Such bodies are small forms whose content is ignored. */
const PUBLIC_BODY_LIMIT = 1_024;

type Controller = { new (): object; prototype: Record<string, object> };

/** Copies the `@Access` value into the configuration of each Fastify route, where hooks can read it. */
@Injectable()
export class RouteAccessRegistry {
  /** The required access of each route by method and path, such as `GET /book/:id`. */
  private requirements: ReadonlyMap<string, RequiredAccess | undefined> | undefined;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  /**
   * Returns the `@Access` value of a route.
   *
   * @param path with parameters as `:id`
   */
  findRequiredAccess(method: string, path: string): RequiredAccess | undefined {
    this.requirements ??= new Map(this.controllers().flatMap((controller) => this.findRequirements(controller)));
    // HEAD requires the same role as GET.
    return this.requirements.get(`${method === 'HEAD' ? 'GET' : method} ${path}`);
  }

  /**
   * Registers the hook. Must be called before any routes are registered.
   *
   * @param isPublicUrl returns true for the URL of a public route without a controller
   */
  registerHook(fastify: FastifyInstance, isPublicUrl: (url: string) => boolean): void {
    fastify.addHook('onRoute', (route) => {
      const access = isPublicUrl(route.url) ? PUBLIC : this.findRequiredAccess([route.method].flat()[0]!, route.url);
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
      // A decorator on a method overrides the one on its controller.
      const requirement = this.reflector.getAllAndOverride<RequiredAccess | undefined>(ACCESS_METADATA_KEY, [
        handler,
        controller,
      ] as never);
      return joinPaths(controller, handler).map((path): [string, typeof requirement] => [
        `${RequestMethod[method]} ${path}`,
        requirement,
      ]);
    });
  }
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
