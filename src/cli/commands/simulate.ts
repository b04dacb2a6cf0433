import { describeCommandFailure } from '../../ops/index.js';
import { runSimulateCommand } from '../simulate/command.js';

try {
  process.exitCode = await runSimulateCommand(process.argv.slice(2), process);
} catch (error) {
  process.stderr.write(`${describeCommandFailure(error)}\n`);
  process.exitCode = 1;
}
