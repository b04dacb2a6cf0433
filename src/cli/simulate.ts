import { explainFailure } from '../ops/index.js';
import { runSimulation } from './simulate/command.js';

/* npm run simulate [-- FILE] [options]: plays a Design Plan with a controlled clock; --help tells the options. */

try {
  process.exitCode = await runSimulation(process.argv.slice(2), process);
} catch (error) {
  process.stderr.write(`${explainFailure(error)}\n`);
  process.exitCode = 1;
}
