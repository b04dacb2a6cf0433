import pg from 'pg';
import type { DatabaseEnvironment } from '../../../src/shared/config/env.js';

/** Connects to the database of a test as its owner, beside the service. The caller ends the connection. */
export async function connectAsOwner(database: DatabaseEnvironment): Promise<pg.Client> {
  if (database.kind !== 'postgresql') throw new Error('This test needs a server');
  const client = new pg.Client({ connectionString: database.migrationUrl });
  await client.connect();
  return client;
}
