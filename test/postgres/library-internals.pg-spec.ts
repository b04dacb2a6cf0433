import { jest } from '@jest/globals';
import { IsolationLevel, MikroORM } from '@mikro-orm/core';
import type { PostgreSqlConnection } from '@mikro-orm/postgresql';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { CompiledQuery, sql } from 'kysely';
import { AsyncLocalStorage } from 'node:async_hooks';
import { Writable } from 'node:stream';
import pg from 'pg';
import { forkForActor, toCompiledQuery } from '../../src/shared/persistence/index.js';
import { interceptStatements } from '../support/database/statement-interceptor.js';
import { TestApp } from '../support/app/test-app.js';

/*
 * Tests undocumented behaviour of MikroORM, Kysely, pg and pg-pool that the persistence layer depends on. If a test
 * fails after an upgrade, docs/adr/0008-undocumented-library-apis.md says where the behaviour is used.
 */

let app: TestApp;
let url: string;
beforeAll(async () => {
  app = await TestApp.start();
  const { database } = app.environment;
  if (database.kind !== 'postgresql') throw new Error('needs a server');
  url = database.migrationUrl;
});
afterAll(() => app.stop());

const serviceEm = () => forkForActor(app.nest.get(MikroORM).em, { role: 'MAINTENANCE' }) as SqlEntityManager;

/**
 * Returns the calls of `pg.Client.query` that the work causes, as text and values. Jobs of the application, such as the
 * polling of the queue, run in other asynchronous contexts and are not included.
 */
async function interceptQueries(work: () => Promise<unknown>): Promise<{ text: string; values: unknown }[]> {
  const queries: { text: string; values: unknown }[] = [];
  const context = new AsyncLocalStorage<typeof work>();
  const restore = await interceptStatements(app, {
    before: (text, values) => {
      if (context.getStore() === work) queries.push({ text, values });
    },
  });
  await context.run(work, work).finally(restore);
  return queries;
}

type Internals = { connection: { stream: Writable; on(event: string, listener: (message: object) => void): void } };

describe('pg', () => {
  let client: pg.Client & Internals;
  beforeEach(async () => {
    client = new pg.Client({ connectionString: url, pipeline: true });
    await client.connect();
  });
  afterEach(() => client.end());

  it('with `pipeline`, sends a statement before those before it are answered', async () => {
    const { stream } = client.connection;
    stream.cork();
    const results = [client.query('select 1 as value')];
    const lengthOfFirst = stream.writableLength;
    results.push(client.query('select 2 as value'));
    expect(stream.writableLength).toBeGreaterThan(lengthOfFirst);
    stream.uncork();
    const rows = (await Promise.all(results)).map((result) => (result.rows as { value: number }[])[0]!.value);
    expect(rows).toEqual([1, 2]);
  });

  it('with `pipeline`, rejects the statement that fails and continues with the next', async () => {
    const [failed, next] = await Promise.allSettled([client.query('select 1 / 0'), client.query('select 1')]);
    expect([failed.status, next.status]).toEqual(['rejected', 'fulfilled']);
  });

  it('has the socket as `connection.stream`', () => {
    expect(client.connection.stream).toBeInstanceOf(Writable);
  });

  it('emits `readyForQuery` and `errorMessage` on `connection`', async () => {
    const events: string[] = [];
    for (const event of ['errorMessage', 'readyForQuery']) client.connection.on(event, () => events.push(event));
    await client.query('select 1 / 0').catch(() => undefined);
    await client.query('select 1');
    expect(events.slice(0, 2)).toEqual(['errorMessage', 'readyForQuery']);
  });

  it('emits `parameterStatus` on `connection` before it is connected', async () => {
    const parameters: unknown[] = [];
    const other = new pg.Client({ connectionString: url }) as pg.Client & Internals;
    other.connection.on('parameterStatus', (message) => parameters.push(Reflect.get(message, 'parameterName')));
    await other.connect();
    await other.end();
    expect(parameters).toEqual(expect.arrayContaining(['in_hot_standby', 'default_transaction_read_only']));
  });

  it('has the id of the server process as `processID`', async () => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    expect(Reflect.get(client, 'processID')).toBe(rows[0]!.pid);
  });

  it('reads `host` and `port` of the client when it connects', async () => {
    const { hostname, port } = new URL(url);
    const moved = new pg.Client({ connectionString: url.replace(`:${port}`, ':1') });
    Object.assign(moved, { host: hostname, port: Number(port) });
    await moved.connect();
    await moved.end();
  });
});

describe('pg-pool', () => {
  it('creates clients of the class in `pool.Client`, also if that was set later', async () => {
    const pool = new pg.Pool({ connectionString: url });
    class OtherClient extends pg.Client {}
    (pool as unknown as { Client: unknown }).Client = OtherClient;
    const client = await pool.connect();
    expect(client).toBeInstanceOf(OtherClient);
    client.release();
    await pool.end();
  });

  it('assigns `release` to a client whenever it hands it out; an argument closes the client', async () => {
    const pool = new pg.Pool({ connectionString: url, max: 1 });
    const first = await pool.connect();
    const release: unknown = Reflect.get(first, 'release');
    first.release();
    const again = await pool.connect();
    expect([again === first, Reflect.get(again, 'release') === release]).toEqual([true, false]);
    again.release(true);
    expect(pool.totalCount).toBe(0);
    await pool.end();
  });
});

describe('Kysely', () => {
  it('passes the text and the array of the parameters of a query to the client unchanged', async () => {
    const values = [1];
    const queries = await interceptQueries(() =>
      serviceEm().transactional((em) => em.getKysely().executeQuery(toCompiledQuery('select $1::int', values))),
    );
    expect(queries.find(({ text }) => text === 'select $1::int')?.values).toBe(values);
  });

  it('executes an object of the shape that `toCompiledQuery` returns', async () => {
    const { rows } = await serviceEm().transactional((em) =>
      em.getKysely().executeQuery(toCompiledQuery<{ value: number }>('select $1::int as value', [1])),
    );
    expect(rows).toEqual([{ value: 1 }]);
    expect(Object.keys(toCompiledQuery('', [])).sort()).toEqual(Object.keys(CompiledQuery.raw('', [])).sort());
  });

  it('begins and ends transactions with these texts', async () => {
    const isolated = { isolationLevel: IsolationLevel.REPEATABLE_READ };
    const commits = (options: object) => () =>
      serviceEm().transactional((em) => sql`select 1`.execute(em.getKysely()), options);
    const plain = await interceptQueries(commits({}));
    const opening = expect.stringMatching(/^begin; select set_config\(/);
    expect(plain.map(({ text }) => text)).toEqual([opening, 'select 1', 'commit']);
    const [first] = await interceptQueries(commits(isolated));
    expect(first!.text).toMatch(/^start transaction isolation level repeatable read; select set_config\(/);
    const query = jest.spyOn(pg.Client.prototype, 'query');
    await serviceEm()
      .transactional(() => Promise.reject(new Error()))
      .catch(() => undefined);
    expect(query.mock.calls).toContainEqual(['rollback']);
    query.mockRestore();
  });
});

describe('MikroORM', () => {
  it('executes all statements of its own by `connection.execute(sql, values)`, so that values become parameters', async () => {
    const value = "it's";
    const connection = app.nest.get(MikroORM).em.getConnection() as unknown as PostgreSqlConnection;
    const queries = await interceptQueries(() => connection.execute('select ?::text as value', [value]));
    expect(queries).toEqual([{ text: 'select $1::text as value', values: [value] }]);
  });

  it('calls `onPoolCreated` with the pool of pg', () => {
    const connection = app.nest.get(MikroORM).em.getConnection() as unknown as PostgreSqlConnection;
    return expect(connection.getNativeClient()).resolves.toBeInstanceOf(pg.Pool);
  });
});
