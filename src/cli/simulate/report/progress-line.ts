import { formatCount, formatDay, formatTime } from './format.js';
import type { SimulationProgress } from '../simulation.js';

const BAR_LENGTH = 24;

type Output = { write(text: string): unknown; isTTY?: boolean };

/** Shows progress on a single terminal line. If the output is not a terminal, prints one line for each Session. */
export class SimulationProgressLine {
  private session = 0;

  constructor(private readonly output: Output) {}

  start(): void {
    this.writeLine('Starting the service …');
  }

  update({ now, session, sessions, finished, reminders }: SimulationProgress): void {
    const done = reminders === 0 ? 1 : Math.min(finished / reminders, 1);
    const bar = '█'.repeat(Math.round(done * BAR_LENGTH)).padEnd(BAR_LENGTH, '░');
    const line = `${bar} ${formatDay(now)} ${now.year} ${formatTime(now)} · Session ${session} of ${sessions} · ${finished} of ${formatCount(reminders, 'reminder')}`;
    if (this.output.isTTY || session !== this.session) this.writeLine(line);
    this.session = session;
  }

  /** Clears the line in a terminal. */
  end(): void {
    if (this.output.isTTY) this.output.write('\r\u001b[K');
  }

  private writeLine(line: string): void {
    this.output.write(this.output.isTTY ? `\r\u001b[K${line}` : `${line}\n`);
  }
}
