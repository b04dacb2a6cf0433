import pg from 'pg';

/** Executes a statement on a connection of its own, with the login of the URL. */
export async function queryRows<Row extends object>(url: string, statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}
