import { runCommand } from './backup/connection.js';
import { restoreBackup } from './backup/restore.js';

/* npm run restore -- DIRECTORY: fills the empty, migrated database of DATABASE_URL from a backup. */

await runCommand(restoreBackup);
