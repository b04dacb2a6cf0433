import { join } from 'node:path';
import type * as Poolers from './pgbouncer.js';
import type * as Servers from './postgresql.setup.js';

/** Loads a module from the build, because Jest compiles only this file. `npm run test:pgbouncer` builds first. */
const built = <Module>(name: string): Promise<Module> =>
  import(join(process.cwd(), 'dist/test/support/database', name)) as Promise<Module>;

/**
 * Starts PostgreSQL as for the other tests, and PgBouncer in front of it. `createTestDatabase` lets the service connect
 * through PgBouncer.
 */
export default async function setup(): Promise<void> {
  await (await built<typeof Servers>('postgresql.setup.js')).default();
  const server = new URL(process.env['TEST_SERVER_URL']!);
  const pgbouncer = await (await built<typeof Poolers>('pgbouncer.js')).startPgbouncer(server);
  Object.assign(globalThis, { pgbouncer });
  // The test workers inherit the environment.
  process.env['TEST_POOLER_URL'] = Object.assign(server, { port: String(pgbouncer.port) }).href;
}
