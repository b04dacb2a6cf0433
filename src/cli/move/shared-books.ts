import type { Client } from 'pg';
import type { BackupTable } from '../backup/catalog.js';
import { CommandError } from '../command-error.js';

const STAGED = 'moved_shared_book';

/** Creates a temporary table for the Books of the shared catalogue, in which they are compared with existing Books. */
export async function stageSharedBooks(client: Client, books: BackupTable): Promise<BackupTable> {
  await client.query(
    `create temporary table ${STAGED} on commit drop as select ${books.columns.join(', ')} from book limit 0`,
  );
  return { ...books, name: STAGED, condition: 'clinic_id is null' };
}

/**
 * Adds the Books that do not exist yet. They keep their IDs, which homework and plans contain, and become a part of the
 * shared catalogue here.
 *
 * @throws CommandError if another Book already has one of the IDs or external IDs
 */
export async function addMissingSharedBooks(client: Client, { columns }: BackupTable): Promise<void> {
  const { rows } = await client.query<{ id: string; other: string }>(`
    select moved.id, book.id as other from ${STAGED} moved join book on book.id = moved.id
      and (book.clinic_id is not null or (book.title, book.external_id) is distinct from (moved.title, moved.external_id))
    union all
    select moved.id, book.id from ${STAGED} moved join book on book.clinic_id is null
      and book.external_id = moved.external_id and book.id <> moved.id
    limit 1`);
  const [conflict] = rows;
  if (conflict !== undefined)
    throw new CommandError(`Book ${conflict.id} of the shared catalogue collides with Book ${conflict.other} here.`);
  const names = columns.join(', ');
  await client.query(`
    insert into book (${names}) overriding system value
    select ${names} from ${STAGED} moved where not exists (select from book where book.id = moved.id)`);
}
