import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as (options: { type: 'major'; execution: 'sync' }) => void;

/**
 * Measures the memory in MiB that live objects of this process hold: heap and buffers, after a garbage collection. The
 * resident set also counts garbage and free pages of the heap, whose size depends on when the last collection ran.
 */
export function measureLiveMemory(): number {
  collectGarbage({ type: 'major', execution: 'sync' });
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 2 ** 20;
}
