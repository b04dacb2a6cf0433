import type { EntityManager } from '@mikro-orm/core';
import type { PgliteConnection } from '@mikro-orm/pglite';
import { isDamage, isUnusableConnection } from './sqlstate.js';

/**
 * Whether a query of this process has met a damaged page. It stays so until the process is started again: nothing that
 * could be asked would tell that the page can be read now.
 */
export class DatabaseDamage {
  private hasBeenDetected = false;

  get isDetected(): boolean {
    return this.hasBeenDetected;
  }

  record(code: unknown): void {
    if (typeof code === 'string' && isDamage(code)) this.hasBeenDetected = true;
  }
}

type ServerErrors = { on(event: 'errorMessage', listener: (error: { code?: string }) => void): void };
type Release = (destroy?: unknown) => void;

/**
 * A class of clients that are closed instead of given back to their pool once the server has said that it cannot serve,
 * so that the next connection may find another server; and that note damage.
 */
export function withFaultDetection<C extends new (...options: never[]) => object>(
  Client: C,
  damage: DatabaseDamage,
): C {
  const Base = Client as unknown as new (options?: unknown) => { connection: ServerErrors };
  class FaultAwareClient extends Base {
    #isUnfit = false;
    #release: Release = () => undefined;

    constructor(options?: unknown) {
      super(options);
      this.connection.on('errorMessage', ({ code }) => {
        damage.record(code);
        if (isUnusableConnection(code ?? '')) this.#isUnfit = true;
      });
    }

    /** The pool sets it whenever it hands the client out. */
    get release(): Release {
      return this.#isUnfit ? () => this.#release(true) : this.#release;
    }

    set release(release: Release) {
      this.#release = release;
    }
  }
  return FaultAwareClient as unknown as C;
}

type Queries = { query(...statement: unknown[]): Promise<unknown> };

/** Notes damage of the embedded database, which has no connection that could be listened to. */
export async function detectEmbeddedDamage({ em }: Orm, damage: DatabaseDamage): Promise<void> {
  const pglite = await (em.getConnection() as unknown as PgliteConnection).getNativeClient();
  detectQueryDamage(pglite, damage);
  // A transaction has a `query` of its own.
  const transaction = pglite.transaction.bind(pglite);
  pglite.transaction = (work) =>
    transaction((native) => {
      detectQueryDamage(native, damage);
      return work(native);
    });
}

function detectQueryDamage(queries: Queries, damage: DatabaseDamage): void {
  const query = queries.query.bind(queries);
  queries.query = async (...statement) => {
    try {
      return await query(...statement);
    } catch (error) {
      damage.record((error as { code?: unknown }).code);
      throw error;
    }
  };
}

type Orm = { em: EntityManager };
type State = { isReadOnly: boolean; isIncomplete: boolean };

/** Why the database cannot serve; undefined where it can. */
export type DatabaseFault = 'unreachable' | 'read-only' | 'tables are missing' | 'damaged';

/** Asks the database, with a connection of the pool, whether it can serve. */
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

/** The tables of which not every row can be read, as a page is damaged. Asks with the rights of their owner. */
export async function findUnreadableTables({ em }: Orm): Promise<string[]> {
  const connection = em.fork().getConnection();
  const unreadable: string[] = [];
  for (const { tableName } of em.getMetadata().getAll().values()) {
    try {
      // As text, so that what is stored apart from its row is read, too.
      await connection.execute(`select sum(length(one::text)) from "${tableName}" one`);
    } catch (error) {
      if (!isDamage(String((error as { code?: unknown }).code))) throw error;
      unreadable.push(tableName);
    }
  }
  return unreadable;
}
