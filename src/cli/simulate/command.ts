import { writeFile } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import { UsageError } from '../command-line.js';
import { SIMULATION_HELP, parseSimulationOptions } from './options.js';
import { renderSimulationPage } from './page/page.js';
import { readPlanFile } from './run/plan-file.js';
import { SimulationProgressLine } from './report/progress-line.js';
import { simulatePlan } from './run/simulate.js';
import { summarizeSimulation } from './report/summary.js';
import { renderTerminalReport } from './report/terminal-report.js';
import { groupEventsByWeek } from './report/weekly-events.js';

type Streams = { stdout: Writable; stderr: Writable };

/**
 * Runs the `simulate` command.
 *
 * @returns the exit code
 */
export async function runSimulateCommand(args: readonly string[], { stdout, stderr }: Streams): Promise<number> {
  try {
    const options = parseSimulationOptions(args);
    if (options === undefined) {
      stdout.write(SIMULATION_HELP);
      return 0;
    }
    const progress = new SimulationProgressLine(stderr);
    const plan = await readPlanFile(options.file);
    progress.start();
    const simulation = await simulatePlan(options, plan, (step) => progress.update(step)).finally(() => progress.end());
    const weeks = groupEventsByWeek(simulation);
    const summary = summarizeSimulation(simulation, weeks);
    const paint = (format: Parameters<typeof styleText>[0], text: string) =>
      styleText(format, text, { stream: stdout });
    stdout.write(renderTerminalReport(simulation, weeks, summary, paint));
    if (options.html !== undefined) await writeReport(options.html, renderSimulationPage(simulation, weeks, summary));
    if (options.json !== undefined) await writeReport(options.json, `${JSON.stringify(simulation, null, 2)}\n`);
    return summary.inconsistencies.length === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    stderr.write(`${error.message}\n`);
    return 1;
  }
}

async function writeReport(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    throw new UsageError(`${file} cannot be written (${(error as NodeJS.ErrnoException).code}).`);
  }
}
