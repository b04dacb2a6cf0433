import { Logger } from '@nestjs/common';

/** Executes a statement without parameters, and returns its rows. */
export type Query = (statement: string) => Promise<object[]>;

/** Age after which a check is repeated, in milliseconds. */
const MAX_AGE_MS = 2_000;
/** Age of a check that is not repeated yet, in milliseconds. */
const MIN_AGE_MS = 500;

/** A statement was not executed, because the server with its rows does not answer. */
export class UnreachableServerError extends Error {
  /** The SQLSTATE and the severity with which the database reports such a server. */
  readonly code = '08006';
  readonly severity = 'ERROR';
}

/**
 * The servers of a distributed database that do not answer, and their Clinics. If the processes of a server are frozen,
 * the database does not report it: statements for its Clinics wait, and cannot even be cancelled. So connections that
 * wait for such a server are closed, and no new statements are sent to it until it answers again.
 */
export class UnreachableServers {
  private readonly logger = new Logger(UnreachableServers.name);
  private clinicIdsByServer: ReadonlyMap<string, ReadonlySet<number>> = new Map();
  private checkedAt = Number.NEGATIVE_INFINITY;
  private checking: Promise<void> | undefined;
  private query: Query | undefined;

  /** @param query is used to check the servers again */
  setQuery(query: Query): void {
    this.query = query;
  }

  /** Whether a server did not answer when the servers were last checked. */
  has(server: string): boolean {
    return this.names.includes(server);
  }

  /** Whether the server with the rows of a Clinic did not answer when the servers were last checked. */
  hasClinic(clinicId: number): boolean {
    this.checkAgain();
    for (const clinicIds of this.clinicIdsByServer.values()) if (clinicIds.has(clinicId)) return true;
    return false;
  }

  /** The addresses of the servers that did not answer when the servers were last checked. */
  get names(): string[] {
    this.checkAgain();
    return [...this.clinicIdsByServer.keys()];
  }

  /** @throws UnreachableServerError if the server does not answer */
  require(server: string): void {
    if (this.has(server)) throw new UnreachableServerError(`${server} does not answer.`);
  }

  /** @throws UnreachableServerError if the server with the rows of the Clinic does not answer */
  requireClinic(clinicId: number): void {
    if (this.hasClinic(clinicId)) throw new UnreachableServerError(`The server of Clinic ${clinicId} does not answer.`);
  }

  /** @throws UnreachableServerError if a server does not answer */
  requireAll(): void {
    const [server] = this.names;
    if (server !== undefined) throw new UnreachableServerError(`${server} does not answer.`);
  }

  /**
   * Checks the servers, unless they have just been checked. If the check fails, the last result is kept.
   *
   * @param query is used instead of a connection of the pool, which may have no free one
   */
  async check(query?: Query): Promise<void> {
    if (performance.now() - this.checkedAt < MIN_AGE_MS) return;
    const checking = query === undefined ? this.checkWithPool() : this.findUnreachable(query);
    await checking.catch(() => undefined);
  }

  private checkWithPool(): Promise<void> {
    this.checking ??= this.findUnreachable(this.query!).finally(() => (this.checking = undefined));
    return this.checking;
  }

  /** Checks the servers in the background if some did not answer a while ago. */
  private checkAgain(): void {
    if (this.clinicIdsByServer.size > 0 && performance.now() - this.checkedAt > MAX_AGE_MS) void this.check();
  }

  private async findUnreachable(query: Query): Promise<void> {
    try {
      const checked = (await query('select server from check_clinic_servers() where not answers')) as {
        server: string;
      }[];
      const names = new Set(checked.map(({ server }) => server));
      const clinics = names.size === 0 ? [] : await listServerClinics(query);
      const idsByServer = new Map(clinics.map(({ server, clinicIds }) => [server, new Set(clinicIds)]));
      this.logChanges(names);
      this.clinicIdsByServer = new Map([...names].map((name) => [name, idsByServer.get(name) ?? new Set()]));
    } finally {
      this.checkedAt = performance.now();
    }
  }

  private logChanges(names: ReadonlySet<string>): void {
    const before = this.clinicIdsByServer;
    for (const server of names) if (!before.has(server)) this.logger.warn({ server }, 'the server does not answer');
    for (const server of before.keys()) if (!names.has(server)) this.logger.log({ server }, 'the server answers again');
  }
}

/** A server and the Clinics whose rows are stored on it. */
export type ServerClinics = { server: string; clinicIds: number[] };

/** Returns the Clinics of each server. */
export async function listServerClinics(query: Query): Promise<ServerClinics[]> {
  const statement = 'select server, clinic_ids::text[] as "clinicIds" from clinic_servers() order by 1';
  const rows = (await query(statement)) as { server: string; clinicIds: string[] }[];
  return rows.map(({ server, clinicIds }) => ({ server, clinicIds: clinicIds.map(Number) }));
}
