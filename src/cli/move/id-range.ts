import type { Client } from 'pg';
import { recordCommand } from '../../audit/index.js';
import { isDistributed, readSequences } from '../backup/catalog.js';
import { inOwnerTransaction } from '../backup/connection.js';
import { quoteName } from '../backup/copy.js';
import { CommandError } from '../command-error.js';

/** The highest number of an ID range. A range is a part of the numbers that JavaScript represents exactly. */
export const MAX_ID_RANGE_NUMBER = 908;

/** The range from which an installation assigns the IDs of new records. Without a setting, it is 0. */
type IdRange = { number: number; first: string; last: string };

/** Reads the current range on a connection of its own. */
export function readIdRange(): Promise<IdRange> {
  return inOwnerTransaction('begin read only', readCurrentIdRange);
}

/** Reads the range from which the installation assigns IDs now, in the transaction of the connection. */
export async function readCurrentIdRange(client: Client): Promise<IdRange> {
  const { rows } = await client.query<IdRange>(`
    select number, lower::text as first, upper::text as last
    from (select coalesce((select number from id_range where replaced_at is null), 0) as number) current
      cross join lateral id_range_bounds(number)`);
  return rows[0]!;
}

/**
 * Sets the range for all sequences. Instances use IDs that they have reserved in the range before for 5 more minutes.
 *
 * @throws CommandError if the database is distributed, or if the range was in use before, because its first IDs would be
 * assigned again
 */
export async function setIdRange(number: number): Promise<void> {
  await inOwnerTransaction('begin', async (client) => {
    await client.query('lock table id_range in exclusive mode');
    if (await isCurrent(client, number)) return;
    await requireOneServer(client);
    await requireUnused(client, number);
    await client.query(`update id_range set replaced_at = clock_timestamp() where replaced_at is null`);
    await client.query(`insert into id_range (number, set_at) values ($1, clock_timestamp())`, [number]);
    await client.query('select apply_id_range()');
    // Recorded after the change, so that the entry has an ID of the new range. Others may also have an entry 1.
    await recordCommand({ name: 'id-range', access: 'WRITE' }, (text, values) => client.query(text, values));
  });
}

async function isCurrent(client: Client, number: number): Promise<boolean> {
  const { rows } = await client.query(`select from id_range where replaced_at is null and number = $1`, [number]);
  return rows.length > 0;
}

/** Citus does not alter sequences of distributed tables. */
async function requireOneServer(client: Client): Promise<void> {
  if (await isDistributed(client))
    throw new CommandError(
      'The range of a distributed database cannot be set: run "npm run distribute -- --undo", and distribute it again.',
    );
}

/**
 * @throws CommandError if the range was used before: range 0 from the start, others also by Clinics that were moved
 * here
 */
async function requireUnused(client: Client, number: number): Promise<void> {
  const { rows } = await client.query<{ number: number }>('select number from id_range');
  if (rows.length === 0 && number === 0) return;
  const refuse = (what: string) => new CommandError(`Range ${number} was in use before: ${what}.`);
  if (rows.some((row) => row.number === number)) throw refuse('it was set before');
  for (const { name, table, column } of await readSequences(client)) {
    if (table === null) continue;
    const id = quoteName({ name: column! });
    const { rows: used } = await client.query(
      `select from id_range_bounds($1) where pg_sequence_last_value($2::regclass) between lower and upper
        or exists (select from ${quoteName({ name: table })} where ${id} between lower and upper)`,
      [number, quoteName({ name })],
    );
    if (used.length > 0) throw refuse(`${table} has ids of it`);
  }
}
