import { runBackupCommand } from '../backup/connection.js';
import { createBackup } from '../backup/create.js';

await runBackupCommand(
  'npm run backup -- DIRECTORY: writes all rows of DATABASE_URL into a new directory, while the service goes on.',
  createBackup,
);
