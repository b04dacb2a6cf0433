import type { DatabaseEnvironment } from '../../../src/shared/config/env.js';
import { parseDatabaseUrl } from '../../../src/shared/config/database-address.js';
import { createMigratedDatabase, startPostgresqlServer, type PostgresqlServer } from './postgresql.setup.js';

const SERVICE_ACCOUNT = { username: 'scheduling_app', password: 'scheduling_app' };
const DATABASE = 'care';

/** A migrated database on two servers that are started for it: a primary and a streaming replica. */
export class ReplicatedDatabase {
  private constructor(
    readonly primary: PostgresqlServer,
    readonly replica: PostgresqlServer,
    /** The URL with which the owner connects to the database on the primary. */
    readonly migrationUrl: string,
  ) {}

  /** @param settings additional settings of both servers; by default they do not wait for the disk */
  static async start(settings: readonly string[] = ['fsync=off']): Promise<ReplicatedDatabase> {
    const primary = await startPostgresqlServer(settings);
    const migrationUrl = await createMigratedDatabase(primary.url, DATABASE);
    return new ReplicatedDatabase(primary, await primary.createReplica(), migrationUrl);
  }

  /** The URL with which the owner connects to the database on the replica. */
  get replicaUrl(): string {
    return Object.assign(new URL(this.replica.url), { pathname: `/${DATABASE}` }).href;
  }

  /**
   * Returns the settings with which a service uses both servers.
   *
   * @param migrationUrl the URL with which the owner connects; by default that of the database on the primary
   */
  toEnvironment(maxLag: Temporal.Duration, migrationUrl = this.migrationUrl): DatabaseEnvironment {
    const url = toServiceUrl(migrationUrl);
    return {
      ...{ kind: 'postgresql', url, migrationUrl, poolSize: 10, migrateOnStart: false },
      hosts: parseDatabaseUrl(url).hosts,
      replica: { url: toServiceUrl(this.replicaUrl), maxLag },
    };
  }

  async stop(): Promise<void> {
    await this.replica.stop();
    await this.primary.stop();
  }
}

/** Replaces the owner in the URL by the login role of the service. */
function toServiceUrl(ownerUrl: string): string {
  return Object.assign(new URL(ownerUrl), SERVICE_ACCOUNT).href;
}
