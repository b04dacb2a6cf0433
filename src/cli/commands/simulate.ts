import { describeStartupError } from '../../ops/index.js';
import { runSimulateCommand } from '../simulate/command.js';

/* npm run simulate [-- FILE] [options]: plays a Design Plan with a controlled clock; --help tells the options. */

try {
  process.exitCode = await runSimulateCommand(process.argv.slice(2), process);
} catch (error) {
  process.stderr.write(`${describeStartupError(error)}\n`);
  process.exitCode = 1;
}
