import { readFile } from 'node:fs/promises';
import type { Role } from '../../../src/shared/access/index.js';
import type { DemonstrationApp } from '../app/demonstration-app.js';

/** The person of the demonstration that is used for each role. */
export const DEMONSTRATION_PERSONS: readonly (readonly [name: string, role: Role])[] = [
  ['Clinic 1', 'CLINIC'],
  ['Care Provider 1', 'CARE_PROVIDER'],
  ['Client 1', 'CLIENT'],
  ['Administrator', 'ADMIN'],
];

/**
 * Returns all routes of a role. They are read from the source, so that new pages are tested automatically. Routes with
 * parameters come last, because the links to them are on other pages.
 */
export async function listConsoleRoutes(app: DemonstrationApp, role: Role): Promise<string[]> {
  const own = readRoutes(await readFile('src/console/web/app/routes.ts', 'utf8'))
    .filter(([, , roles]) => roles!.includes(`'${role}'`))
    .map(([, path]) => path!);
  const sorted = own.toSorted((a, b) => Number(a.includes(':')) - Number(b.includes(':')));
  return [...sorted, ...((await listMoreRoutes(app))[role] ?? [])];
}

/**
 * Returns the path and the roles of each route.
 *
 * @throws Error if a route is not written as CONTRIBUTING.md says, because its page would not be tested
 */
function readRoutes(source: string): RegExpExecArray[] {
  const routes = [...source.matchAll(/path: '([^']+)',\s*roles: \[((?:'\w+'(?:, )?)+)\]/g)];
  if (routes.length !== source.split('=> import(').length - 1)
    throw new Error('Each route in routes.ts has `path`, then `roles`, as literals: tests read them');
  return routes;
}

/** Returns, for each role, further routes with records that the other routes do not show. */
async function listMoreRoutes(app: DemonstrationApp): Promise<Partial<Record<Role, string[]>>> {
  const path = '/gateway/profile/clinic/reminder?status=PENDING&sort=-dueAt&limit=1';
  const { body } = await app.get(path, 'CLINIC');
  return {
    CLINIC: ['/directory?of=careProviders', '/directory?of=books', `/outbox?reminder=${body.items[0].id}`],
    ADMIN: ['/directory?of=catalogue'],
  };
}
