type Output = { write(text: string): unknown; isTTY?: boolean };

/** Shows progress on one line, or on separate lines if the output is not a terminal. */
export class ProgressLine {
  private readonly begin = performance.now();
  /** The total amount of the counted work, and when it started. */
  private counted = { all: 0, begin: 0 };

  constructor(private readonly output: Output) {}

  tell(text: string, done = 0, all = 0): void {
    const seconds = (performance.now() - this.begin) / 1000;
    if (this.counted.all !== all || done === 0) this.counted = { all, begin: seconds };
    const left = done > 0 ? ` · ${clock(((seconds - this.counted.begin) / done) * (all - done))} to go` : '';
    const share = all > 1 ? `${done}/${all} · ` : '';
    const line = `${clock(seconds)} · ${share}${text}${left}`;
    this.output.write(this.output.isTTY ? `\r\u001b[K${line}` : `${line}\n`);
  }

  end(): void {
    if (this.output.isTTY) this.output.write('\r\u001b[K');
  }
}

function clock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
}
