/**
 * The number of repetitions of a test: the environment variable `name`, or else `full` in `npm run test:soak` (SOAK=1),
 * or else `usual`. Every case runs with any number.
 */
export function repetitionCount(name: string, usual: number, full: number): number {
  return Number(process.env[name] ?? (process.env['SOAK'] ? full : usual));
}
