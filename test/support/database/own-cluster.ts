import { parseDatabaseUrl } from '../../../src/shared/config/database-address.js';
import type { ClinicFixture } from '../app/test-app.js';
import { createClusterDatabase, startCitusCluster, type CitusCluster } from './citus.js';
import { migrateTemplate } from './postgresql.setup.js';
import { queryRows } from './query-rows.js';
import { toLoginUrl, type TestDatabase } from './test-database.js';

/* A cluster of one test file, which stops its servers. */

/** Starts a coordinator and two workers, with a migrated database that is not yet distributed. */
export async function startMigratedCluster(): Promise<{ cluster: CitusCluster; url: string }> {
  const cluster = await startCitusCluster(process.env['CITUS_PROGRAMS']!);
  const url = await createClusterDatabase(
    cluster.nodes.map((node) => node.url),
    'care',
  );
  await migrateTemplate(url);
  return { cluster, url };
}

/** Returns the URL with which the service connects. */
export const toServiceUrl = (url: string) => toLoginUrl(url, 'scheduling_app');

/** Returns the database for `TestApp.startOn`. */
export function toTestDatabase(url: string): TestDatabase {
  const { hosts } = parseDatabaseUrl(url);
  const connection = { url: toServiceUrl(url), migrationUrl: url, hosts, poolSize: 10, migrateOnStart: false };
  return { environment: { kind: 'postgresql', ...connection }, drop: async () => undefined };
}

/** Creates Clinics until each worker has one. Returns the last Clinic of each worker, by the address of the worker. */
export async function createClinicOnEachWorker(
  url: string,
  createClinic: () => Promise<ClinicFixture>,
): Promise<Map<string, ClinicFixture>> {
  const clinics = new Map<string, ClinicFixture>();
  for (let count = 0; clinics.size < 2 && count < 20; count += 1) {
    const clinic = await createClinic();
    const [row] = await queryRows<{ server: string }>(
      url,
      `select server from clinic_servers() where ${clinic.clinicId} = any(clinic_ids)`,
    );
    clinics.set(row!.server, clinic);
  }
  return clinics;
}
