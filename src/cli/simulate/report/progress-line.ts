import { counted, dayOf, timeOf } from './format.js';
import type { Progress } from '../simulation.js';

const BAR = 24;

type Output = { write(text: string): unknown; isTTY?: boolean };

/** Tells on one line how far the simulation is; where lines cannot be rewritten, with one line for each Session. */
export class ProgressLine {
  private session = 0;

  constructor(private readonly output: Output) {}

  start(): void {
    this.show('Starting the service …');
  }

  tell({ now, session, sessions, settled, all }: Progress): void {
    const done = all === 0 ? 1 : Math.min(settled / all, 1);
    const bar = '█'.repeat(Math.round(done * BAR)).padEnd(BAR, '░');
    const line = `${bar} ${dayOf(now)} ${now.year} ${timeOf(now)} · Session ${session} of ${sessions} · ${settled} of ${counted(all, 'reminder')}`;
    if (this.output.isTTY || session !== this.session) this.show(line);
    this.session = session;
  }

  /** Makes room for what comes after. */
  end(): void {
    if (this.output.isTTY) this.output.write('\r\u001b[K');
  }

  private show(line: string): void {
    this.output.write(this.output.isTTY ? `\r\u001b[K${line}` : `${line}\n`);
  }
}
