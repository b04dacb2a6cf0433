import { runBackupCommand } from '../backup/connection.js';
import { verifyRestore } from '../backup/verify.js';

await runBackupCommand(
  'npm run verify-restore -- DIRECTORY: holds the database of DATABASE_URL against a backup.',
  verifyRestore,
);
