/**
 * How often a test repeats something: as the variable of this name says, else `full` in `npm run test:soak` (SOAK=1),
 * else `usual`. Fewer repetitions leave no case out.
 */
export function repetitionCount(name: string, usual: number, full: number): number {
  return Number(process.env[name] ?? (process.env['SOAK'] ? full : usual));
}
