const BAR_LENGTH = 24;
/** Minimum time between two progress lines when the output is not a terminal. */
const LINE_INTERVAL_MS = 5_000;

type Output = { write(text: string): unknown; isTTY?: boolean };

/** Shows the progress of a command on one line of the terminal, or as lines in a log. */
export class ProgressBar {
  private printedAt = performance.now();

  constructor(private readonly output: Output) {}

  /** @param total undefined if the total is not known */
  update(done: number, total: number | undefined, what: string): void {
    if (!this.output.isTTY && performance.now() - this.printedAt < LINE_INTERVAL_MS) return;
    this.printedAt = performance.now();
    const share = total === undefined || total === 0 ? 0 : Math.min(done / total, 1);
    const bar = total === undefined ? '' : `${'█'.repeat(Math.round(share * BAR_LENGTH)).padEnd(BAR_LENGTH, '░')} `;
    const line = `${bar}${done}${total === undefined ? '' : ` of ${total}`} ${what}`;
    this.output.write(this.output.isTTY ? `\r\u001b[K${line}` : `${line}\n`);
  }

  /** Clears the progress line in a terminal. */
  end(): void {
    if (this.output.isTTY) this.output.write('\r\u001b[K');
  }
}
