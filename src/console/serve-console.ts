import fastifyStatic from '@fastify/static';
import { Logger } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../shared/config/env.js';
import { createConsoleHeaders } from './console-headers.js';

const PREFIX = '/console/';

/** Whether a route belongs to the console, whose files are public. */
export function isConsoleUrl(url: string): boolean {
  return url === '/' || url.startsWith(PREFIX);
}

/** Serves the document at `/` and its files below `/console/`. The routes are not in the OpenAPI document. */
export function serveConsole(fastify: FastifyInstance, environment: Environment): void {
  if (!environment.console) return;
  const root = findBuiltFiles();
  if (root === undefined) {
    new Logger('Console').warn('not built: `npm run build` builds the console');
    return;
  }
  // Not awaited: otherwise, existing routes would get Fastify's error handler before Nest sets the problem filter.
  void fastify.register(fastifyStatic, {
    ...{ root, prefix: PREFIX, index: false, decorateReply: true, schemaHide: true },
    // `createConsoleHeaders` sets `cache-control`.
    cacheControl: false,
    // Allows compressed files, which the build writes next to each file.
    preCompressed: true,
    setHeaders: (reply, path) => void reply.headers(createConsoleHeaders(path, environment.consoleSignIn)),
  });
  fastify.get('/', async (_request, reply) => reply.sendFile('index.html'));
  fastify.get(`${PREFIX}sign-in.json`, async () => toSignInSettings(environment));
}

/**
 * Returns how callers sign in. `provider` is null if no identity provider is configured. The response contains no
 * secrets.
 */
function toSignInSettings({ consoleSignIn, token }: Environment) {
  return { provider: consoleSignIn === undefined ? null : { ...consoleSignIn, roleClaim: token.claims.role } };
}

/**
 * Returns the directory of the built files. The service runs in `dist`, next to these files; tests run from the source
 * and look for them in `dist`.
 */
function findBuiltFiles(): string | undefined {
  const here = import.meta.dirname;
  return [join(here, 'public'), join(here, '../../dist/src/console/public')].find((directory) =>
    existsSync(join(directory, 'index.html')),
  );
}
