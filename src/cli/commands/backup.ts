import { runBackupCommand } from '../backup/connection.js';
import { createBackup } from '../backup/create.js';

await runBackupCommand(
  `npm run backup -- DIRECTORY: writes a snapshot of the database into a new directory. The service can run meanwhile. Logs in
as the owner (MIGRATION_DATABASE_URL).`,
  createBackup,
);
