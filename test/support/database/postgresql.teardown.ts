import pg from 'pg';
import type { PostgresqlServer } from './postgresql.setup.js';

export default async function teardown(): Promise<void> {
  const { postgresqlServer } = globalThis as unknown as { postgresqlServer: PostgresqlServer };
  const client = new pg.Client({ connectionString: postgresqlServer.url });
  await client.connect();
  await client.query(`drop database if exists ${process.env['TEST_TEMPLATE']} with (force)`);
  await client.end();
  await postgresqlServer.stop();
}
