import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { setTimeout as delay } from 'node:timers/promises';
import { RequestActivity } from '../../instance/index.js';

/** While requests are served, each turn is followed by a rest this many times as long. */
const REST_FACTOR = 4;
/** A turn that takes longer waits for a channel, not for a processor: the next one may start beside it. */
const MAX_TURN_MS = 100;

/**
 * Lets requests go first. While an instance serves requests, dispatch and delivery run one small turn at a time and
 * rest after it, so that they use about a fifth of the time. Otherwise all work runs at once.
 */
@Injectable()
export class DeliveryPace {
  private readonly turns = pLimit(1);
  private readonly released = new AbortController();

  constructor(private readonly activity: RequestActivity) {}

  /** @param work is told whether it is paced, and should then do little; it runs at once where it is not paced */
  async run<T>(work: (isPaced: boolean) => Promise<T>): Promise<T> {
    if (!(await this.isPaced())) return work(false);
    const { running } = await this.turns(async () => {
      const startedAt = performance.now();
      const running = work(true);
      await Promise.race([running.catch(() => undefined), delay(MAX_TURN_MS)]);
      const rest = Math.min(performance.now() - startedAt, MAX_TURN_MS) * REST_FACTOR;
      await delay(rest, undefined, { signal: this.released.signal }).catch(() => undefined);
      return { running };
    });
    return running;
  }

  /** The service stops: the remaining work does not rest. */
  release(): void {
    this.released.abort();
  }

  private async isPaced(): Promise<boolean> {
    return !this.released.signal.aborted && (await this.activity.isServing());
  }
}
