import { runBackupCommand } from '../backup/connection.js';
import { verifyRestore } from '../backup/verify.js';

await runBackupCommand(
  `npm run verify-restore -- DIRECTORY: compares the database of MIGRATION_DATABASE_URL with a backup. Without that
variable, it is the database of DATABASE_URL.`,
  verifyRestore,
);
