import { join } from 'node:path';
import type { Pgbouncer } from './pgbouncer.js';
import type * as Servers from './postgresql.teardown.js';

export default async function teardown(): Promise<void> {
  await (globalThis as unknown as { pgbouncer: Pgbouncer }).pgbouncer.stop();
  const built = join(process.cwd(), 'dist/test/support/database/postgresql.teardown.js');
  await ((await import(built)) as typeof Servers).default();
}
