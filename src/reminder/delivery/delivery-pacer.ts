import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { setTimeout as delay } from 'node:timers/promises';
import { RequestActivity } from '../../instance/index.js';

/** While requests are served, each turn is followed by a rest that is this many times as long as the turn. */
const REST_FACTOR = 4;
/** A longer turn is waiting for a channel rather than using the processor, so the next turn may start alongside it. */
export const MAX_TURN_WAIT_MS = 100;

/**
 * Gives requests priority. While any instance serves requests, dispatch and delivery run one at a time in small turns,
 * each followed by a rest, so they are active for about a fifth of the time. Otherwise, all work runs at once.
 */
@Injectable()
export class DeliveryPacer {
  private readonly turns = pLimit(1);
  private readonly released = new AbortController();

  constructor(private readonly activity: RequestActivity) {}

  /**
   * Runs work immediately, or as a turn while requests are served.
   *
   * @param work should do little if `isPaced` is true
   */
  async run<T>(work: (isPaced: boolean) => Promise<T>): Promise<T> {
    if (!(await this.isPaced())) return work(false);
    const { running } = await this.turns(async () => {
      const startedAt = performance.now();
      const running = work(true);
      await Promise.race([running.catch(() => undefined), delay(MAX_TURN_WAIT_MS)]);
      const rest = Math.min(performance.now() - startedAt, MAX_TURN_WAIT_MS) * REST_FACTOR;
      await delay(rest, undefined, { signal: this.released.signal }).catch(() => undefined);
      return { running };
    });
    return running;
  }

  /** Ends the pacing at shutdown, so the remaining work runs without rests. */
  release(): void {
    this.released.abort();
  }

  private async isPaced(): Promise<boolean> {
    return !this.released.signal.aborted && (await this.activity.isServing());
  }
}
