import { runSimulateCommand } from '../simulate/command.js';
import { runCommand } from '../run-command.js';

await runCommand(async () => {
  process.exitCode = await runSimulateCommand(process.argv.slice(2), process);
});
