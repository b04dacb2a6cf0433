import { ServiceUnavailableException } from '@nestjs/common';
import pLimit, { type LimitFunction } from 'p-limit';

export type KeyedLimitOptions = {
  /** Maximum number of calls for one key that run at the same time. */
  active: number;
  /** Maximum number of further calls for one key that wait for their turn. */
  waiting: number;
  /** How long a call waits, in milliseconds. */
  waitMs?: number;
};

/** Number of keys whose limit is kept without calls, because creating a limit takes longer than a call. */
const MAX_IDLE_KEYS = 1_000;

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
    const limit = this.limits.get(key) ?? pLimit(active);
    const before = limit.activeCount + limit.pendingCount;
    if (before >= active + waiting) throw new ServiceUnavailableException();
    this.limits.set(key, limit);
    return new Promise<T>((resolve, reject) => {
      let isLate = false;
      const refuse = () => {
        isLate = true;
        reject(new ServiceUnavailableException());
      };
      const timer = waitMs === undefined || before < active ? undefined : setTimeout(refuse, waitMs);
      const turn = limit(async () => {
        clearTimeout(timer);
        if (isLate) throw new ServiceUnavailableException();
        return work();
      });
      // p-limit has counted the end of the call when its promise settles, so the caller can use the free place.
      turn.then(resolve, reject).finally(() => this.forgetIfIdle(key, limit));
    });
  }

  private forgetIfIdle(key: string, limit: LimitFunction): void {
    const isIdle = limit.activeCount + limit.pendingCount === 0;
    if (isIdle && this.limits.size > MAX_IDLE_KEYS) this.limits.delete(key);
  }
}
