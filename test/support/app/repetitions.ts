/**
 * Returns the number of repetitions of a test: the value of the environment variable `name` if it is set, `full` in
 * `npm run test:soak` (SOAK=1), and otherwise `usual`. Every case runs, whatever the number.
 */
export function repetitionCount(name: string, usual: number, full: number): number {
  return Number(process.env[name] ?? (process.env['SOAK'] ? full : usual));
}
