import { runBackupCommand } from '../backup/connection.js';
import { restoreBackup } from '../backup/restore.js';

await runBackupCommand(
  `npm run restore -- DIRECTORY: fills the empty, migrated database of MIGRATION_DATABASE_URL from a backup. Without that
variable, it is the database of DATABASE_URL.`,
  restoreBackup,
);
