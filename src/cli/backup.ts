import { runCommand } from './backup/connection.js';
import { takeBackup } from './backup/take.js';

await runCommand(
  'npm run backup -- DIRECTORY: writes all rows of DATABASE_URL into a new directory, while the service goes on.',
  takeBackup,
);
