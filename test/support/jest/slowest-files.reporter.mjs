/** Prints the slowest test files. `SLOWEST` sets their number; 1000 prints all. */
export default class SlowestReporter {
  /** @type {{ file: string, project: string, seconds: number }[]} */
  files = [];

  onTestResult(test, result) {
    const { start, end } = result.perfStats;
    const file = test.path.slice(test.context.config.rootDir.length + 1);
    this.files.push({ file, project: test.context.config.displayName?.name ?? '', seconds: (end - start) / 1000 });
  }

  onRunComplete() {
    const count = Number(process.env.SLOWEST ?? 10);
    if (this.files.length < 2) return;
    const total = this.files.reduce((sum, { seconds }) => sum + seconds, 0);
    const slowest = this.files.toSorted((a, b) => b.seconds - a.seconds).slice(0, count);
    const lines = slowest.map(
      ({ file, project, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${project}  ${file}`,
    );
    process.stdout.write(
      `\nSlowest of ${this.files.length} files (${total.toFixed(0)} s in all workers):\n${lines.join('\n')}\n`,
    );
  }
}
