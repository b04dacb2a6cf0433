import { join } from 'node:path';
import type * as Citus from './citus.js';
import type { CitusCluster } from './citus.js';
import type * as Servers from './postgresql.setup.js';

/** Loads a module from the build, because Jest compiles only this file. `npm run test:citus` builds first. */
const built = <Module>(name: string): Promise<Module> =>
  import(join(process.cwd(), 'dist/test/support/database', name)) as Promise<Module>;

/** Starts a cluster, and makes the distributed template database that every test file copies. */
export default async function setup(): Promise<void> {
  const citus = await built<typeof Citus>('citus.js');
  const cluster = await citus.startCitusCluster(process.env['CITUS_PROGRAMS']!);
  Object.assign(globalThis, { citusCluster: cluster });
  try {
    await prepare(cluster);
  } catch (error) {
    // Jest runs no teardown after a failed setup.
    cluster.stop();
    throw error;
  }
}

async function prepare(cluster: CitusCluster): Promise<void> {
  const citus = await built<typeof Citus>('citus.js');
  const servers = await built<typeof Servers>('postgresql.setup.js');
  const urls = cluster.nodes.map(({ url }) => url);
  const template = `care_template_${process.pid}`;
  const database = await citus.createClusterDatabase(urls, template);
  await servers.migrateTemplate(database);
  citus.distributeDatabase(database);
  await citus.makeClusterTemplate(urls, template);
  // Tests change rows of several tables without a Clinic in one transaction.
  await citus.onEachNode([urls[0]!], `alter role postgres set citus.multi_shard_modify_mode = 'sequential'`);
  // The workers inherit the environment.
  process.env['TEST_SERVER_URL'] = urls[0]!;
  process.env['TEST_CITUS_NODES'] = JSON.stringify(cluster.nodes.map(({ url, logFile }) => ({ url, logFile })));
  process.env['TEST_TEMPLATE'] = template;
}
