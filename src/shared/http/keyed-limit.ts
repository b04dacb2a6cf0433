import { ServiceUnavailableException } from '@nestjs/common';
import pLimit, { type LimitFunction } from 'p-limit';

type KeyedLimitOptions = {
  /** Maximum number of calls for one key that run at the same time. */
  active: number;
  /** Maximum number of further calls for one key that wait for their turn. */
  waiting: number;
  /** How long a call waits, in milliseconds. */
  waitMs?: number;
};

/**
 * Number of keys at which the limits without calls are deleted. They are kept until then, because creating a limit takes
 * longer than a call.
 */
const MAX_KEYS = 1_000;

/**
 * Limits how many calls run at the same time for each key, such as a caller. Further calls wait in the order of their
 * arrival.
 */
export class KeyedLimit {
  private readonly limits = new Map<string, LimitFunction>();

  constructor(private readonly options: KeyedLimitOptions) {}

  /** @throws ServiceUnavailableException (503) if too many calls are waiting, or if the turn comes too late */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const { active, waiting, waitMs } = this.options;
    const limit = this.limits.get(key) ?? this.createLimit(key);
    const running = limit.activeCount + limit.pendingCount;
    if (running >= active + waiting) throw new ServiceUnavailableException();
    return running < active || waitMs === undefined ? limit(work) : runInTime(limit, waitMs, work);
  }

  private createLimit(key: string): LimitFunction {
    if (this.limits.size >= MAX_KEYS) {
      for (const [other, { activeCount, pendingCount }] of this.limits)
        if (activeCount + pendingCount === 0) this.limits.delete(other);
    }
    const limit = pLimit(this.options.active);
    this.limits.set(key, limit);
    return limit;
  }
}

/** Runs a call when it is its turn, unless this takes longer than `waitMs`. */
function runInTime<T>(limit: LimitFunction, waitMs: number, work: () => Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      reject(new ServiceUnavailableException());
    }, waitMs);
    const turn = limit(async () => {
      clearTimeout(timer);
      if (isLate) throw new ServiceUnavailableException();
      return work();
    });
    // p-limit has counted the end of the call when its promise settles, so the caller can use the free place.
    turn.then(resolve, reject);
  });
}
