import type { EntityManager } from '@mikro-orm/core';
import { wrapEmbeddedQueries } from '../driver/embedded-queries.js';
import { isPageDamage, isUnusableConnection } from './sqlstate.js';

/**
 * Remembers whether a query has found a damaged page. The damage counts until the process restarts, because no query
 * could prove that all pages are readable again.
 */
export class DatabaseDamage {
  private hasBeenDetected = false;

  get isDetected(): boolean {
    return this.hasBeenDetected;
  }

  record(code: unknown): void {
    if (typeof code === 'string' && isPageDamage(code)) this.hasBeenDetected = true;
  }
}

type ServerErrors = { on(event: 'errorMessage', listener: (error: { code?: string }) => void): void };
type Release = (destroy?: unknown) => void;

/**
 * Returns a client class that records damage. After an error that makes the connection unusable, the client is closed
 * instead of returned to the pool, so that the next connection can reach another server.
 */
export function withFaultDetection<C extends new (...options: never[]) => object>(
  Client: C,
  damage: DatabaseDamage,
): C {
  const Base = Client as unknown as new (options?: unknown) => { connection: ServerErrors };
  class FaultAwareClient extends Base {
    #isUnusable = false;
    #release: Release = () => undefined;

    constructor(options?: unknown) {
      super(options);
      this.connection.on('errorMessage', ({ code }) => {
        damage.record(code);
        if (isUnusableConnection(code ?? '')) this.#isUnusable = true;
      });
    }

    /** The pool assigns this function each time it hands out the client. */
    get release(): Release {
      return this.#isUnusable ? () => this.#release(true) : this.#release;
    }

    set release(release: Release) {
      this.#release = release;
    }
  }
  return FaultAwareClient as unknown as C;
}

/** Records damage to the embedded database. PGlite emits no error events, so its `query` methods are wrapped. */
export async function detectEmbeddedDamage(orm: Orm, damage: DatabaseDamage): Promise<void> {
  await wrapEmbeddedQueries(orm, (query) => async (...statement) => {
    try {
      return await query(...statement);
    } catch (error) {
      damage.record((error as { code?: unknown }).code);
      throw error;
    }
  });
}

type Orm = { em: EntityManager };
type State = { isReadOnly: boolean; isIncomplete: boolean };

/** The reason why the database cannot be used. */
export type DatabaseFault = 'unreachable' | 'read-only' | 'tables are missing' | 'damaged';

/** Returns why the database cannot be used, or undefined if it can. Uses a connection from the pool. */
export async function findDatabaseFault({ em }: Orm, damage: DatabaseDamage): Promise<DatabaseFault | undefined> {
  if (damage.isDetected) return 'damaged';
  const tables = [...em.getMetadata().getAll().values()].map(({ tableName }) => tableName);
  const statement = `
    select current_setting('transaction_read_only') = 'on' as "isReadOnly",
      exists (select from unnest(array[?]::text[]) as name where to_regclass(name) is null) as "isIncomplete"`;
  try {
    const connection = em.fork().getConnection();
    const [state] = (await connection.execute<object[]>(statement, [tables])) as [State];
    if (state.isReadOnly) return 'read-only';
    return state.isIncomplete ? 'tables are missing' : undefined;
  } catch {
    return 'unreachable';
  }
}

/**
 * Returns the tables with rows that a damaged page makes unreadable, those of the queue included. Requires the privileges
 * of the table owner.
 */
export async function findUnreadableTables({ em }: Orm): Promise<string[]> {
  const connection = em.fork().getConnection();
  const unreadable: string[] = [];
  // Not all tables have an entity, so they are read from the catalog. A partition is read with its table.
  const tables = (await connection.execute(`
    select pg_class.oid::regclass::text as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where nspname in ('public', 'pgboss') and relkind in ('r', 'p') and not relispartition order by 1`)) as {
    name: string;
  }[];
  for (const { name } of tables) {
    try {
      // The cast to text also reads values that are stored out of line (TOAST).
      await connection.execute(`select sum(length(one::text)) from ${name} one`);
    } catch (error) {
      if (!isPageDamage(String((error as { code?: unknown }).code))) throw error;
      unreadable.push(name);
    }
  }
  return unreadable;
}
