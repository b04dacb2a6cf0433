import pg from 'pg';
import { ReplicatedDatabase } from '../support/database/replicated-database.js';
import { parseSamples } from '../support/operations/metrics.js';
import { HaProxy } from '../support/process/haproxy.js';
import { ServiceFleet } from '../support/process/service-fleet.js';
import type { ServiceProcess } from '../support/process/service-process.js';
import { waitFor } from '../support/app/test-app.js';

const INSTANCES = 3;
const PATIENCE_MS = 60_000;
/** How long a cluster manager needs to notice that a server is gone, in milliseconds. */
const DETECTION_MS = 2_000;

/**
 * Three instances behind HAProxy, and a primary with a replica that serves reads. The replica is synchronous while it
 * follows, so a commit that was acknowledged is on both servers. As a cluster manager does, `stopReplica` and
 * `failOver` let the remaining server accept writes alone.
 */
export class Topology {
  /** Reads that each process has served from the replica, when it was last asked. Killed processes keep their count. */
  private readonly replicaReads = new Map<ServiceProcess, number>();
  private killed: ServiceProcess | undefined;
  /** The server that accepts writes, as the owner. */
  private writable: pg.Client;

  private constructor(
    private readonly servers: ReplicatedDatabase,
    private readonly fleet: ServiceFleet,
    private readonly proxy: HaProxy,
    primary: pg.Client,
  ) {
    this.writable = primary;
  }

  /** @param prepare fills the database before the replica is copied to the instances */
  static async start(prepare: (owner: pg.Client) => Promise<void>): Promise<Topology> {
    const servers = await ReplicatedDatabase.start(['wal_keep_size=1GB']);
    const primary = await connect(servers.migrationUrl);
    await prepare(primary);
    await setSynchronous(primary, true);
    const fleet = new ServiceFleet({
      DATABASE_URL: toServiceUrl(servers.primary.url, servers.replica.url),
      DATABASE_REPLICA_URL: toServiceUrl(servers.replica.url),
      TRUSTED_PROXIES: '127.0.0.1',
    });
    const instances = await Promise.all(Array.from({ length: INSTANCES }, () => fleet.add()));
    const [first, second, ...more] = instances.map(({ port }) => `127.0.0.1:${port}`);
    const topology = new Topology(servers, fleet, await HaProxy.start(first!, second!, ...more), primary);
    await topology.waitUntilSynchronous();
    return topology;
  }

  get url(): string {
    return this.proxy.url;
  }

  /** The writable database, as the owner. */
  get owner(): pg.Client {
    return this.writable;
  }

  async killInstance(): Promise<void> {
    await this.countReplicaReads();
    this.killed = this.fleet.removeRandom();
    await this.killed.terminate('SIGKILL');
  }

  async startInstance(): Promise<void> {
    await this.fleet.add({ PORT: String(this.killed!.port) });
  }

  /** Until the manager has noticed it, commits wait for the replica. */
  async stopReplica(): Promise<void> {
    await this.servers.replica.kill();
    await new Promise((resolve) => setTimeout(resolve, DETECTION_MS));
    await setSynchronous(this.writable, false);
  }

  async startReplica(): Promise<void> {
    await this.servers.replica.restart();
    await setSynchronous(this.writable, true);
    await this.waitUntilSynchronous();
  }

  /** Kills the primary and promotes the replica. */
  async failOver(): Promise<void> {
    await this.waitUntilSynchronous();
    const replica = await connect(this.servers.replicaUrl);
    await this.servers.primary.kill();
    await new Promise((resolve) => setTimeout(resolve, DETECTION_MS));
    await replica.query('select pg_promote()');
    this.writable = replica;
  }

  /** Returns the number of reads that the replica has served since the start. */
  async countReplicaReads(): Promise<number> {
    await Promise.all(
      this.fleet.instances.map(async (instance) => {
        const text = await fetch(`${instance.url}/metrics`)
          .then((answer) => answer.text())
          .catch(() => '');
        const ofReplica = parseSamples(text).find(
          ({ name, labels }) => name === 'scheduling_reads_total' && labels['server'] === 'replica',
        );
        if (ofReplica !== undefined) this.replicaReads.set(instance, ofReplica.value);
      }),
    );
    return [...this.replicaReads.values()].reduce((sum, value) => sum + value, 0);
  }

  async stop(): Promise<void> {
    await this.fleet.stop();
    await this.proxy.stop();
    await this.writable.end().catch(() => undefined);
    await this.servers.stop();
  }

  private async waitUntilSynchronous(): Promise<void> {
    const statement = `select from pg_stat_replication where sync_state = 'sync'`;
    await waitFor(async () => (await this.writable.query(statement)).rowCount === 1, PATIENCE_MS);
  }
}

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  // A server is killed while this connection is open.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function setSynchronous(primary: pg.Client, isOn: boolean): Promise<void> {
  await primary.query(`alter system set synchronous_standby_names = '${isOn ? '*' : ''}'`);
  await primary.query('select pg_reload_conf()');
}

/** One or two servers, of which the service uses the one that accepts writes. */
function toServiceUrl(...servers: readonly string[]): string {
  const hosts = servers.map((url) => new URL(url).host).join(',');
  const onlyWritable = servers.length > 1 ? '?target_session_attrs=read-write' : '';
  return `postgres://scheduling_app:scheduling_app@${hosts}/care${onlyWritable}`;
}
