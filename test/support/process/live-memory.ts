import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as (options: { type: 'major'; execution: 'sync' }) => void;

const MAX_COLLECTIONS = 20;
const PAUSE_MS = 100;
/** A smaller decrease, in MiB, counts as none. */
const SMALLEST_DECREASE = 0.5;

/**
 * Measures the memory in MiB that live objects of this process hold: heap and buffers, after garbage collections until
 * nothing more is freed. The resident set also counts garbage and free pages of the heap, whose size depends on when
 * the last collection ran.
 */
export async function measureLiveMemory(): Promise<number> {
  let smallest = Number.POSITIVE_INFINITY;
  for (let count = 0; count < MAX_COLLECTIONS; count += 1) {
    collectGarbage({ type: 'major', execution: 'sync' });
    const { heapUsed, external } = process.memoryUsage();
    const live = (heapUsed + external) / 2 ** 20;
    // Finalizers and closed connections free further memory after a pause. One collection after the other would not.
    if (smallest - live < SMALLEST_DECREASE && count > 2) return Math.min(live, smallest);
    smallest = Math.min(live, smallest);
    await delay(PAUSE_MS);
  }
  return smallest;
}
