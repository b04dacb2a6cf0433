import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Scheduler } from '../scheduler/index.js';
import { Environment, type RateLimits } from '../shared/config/env.js';
import { TooManyRequestsError } from '../shared/errors/index.js';
import { Clock } from '../shared/time/index.js';
import { SharedCounters } from './shared-counters.js';

/** The name of a limit in the response headers. */
export type RateLimitPolicy = keyof RateLimits;

/** Requests in this minute: the total of all instances at the last synchronisation, and those of this instance since then. */
type RequestCount = { shared: number; unshared: number; limit: number };

const MINUTE_MS = 60_000;
const SYNCHRONISE_JOB = 'rate-limit-synchronisation';
const SYNCHRONISE_MS = 1_000;
/** Counts below this fraction of the limit are not written to the table. */
const MIN_SHARED_FRACTION = 0.01;
/** Limits the memory during a flood of addresses. This instance does not count further addresses. */
const MAX_COUNTS = 100_000;

/**
 * Limits requests per minute, of callers and of addresses, over all instances. Requests are counted in memory, so that
 * none waits for the database; the counts are synchronised with a table once a second. With n instances and a limit l,
 * the excess is at most the requests of two seconds plus n × l / 100. Windows are whole minutes of the clock. While the
 * database is not available, each instance limits alone.
 */
@Injectable()
export class RateLimiter implements OnApplicationBootstrap {
  private minute = 0;
  private counts = new Map<string, RequestCount>();

  constructor(
    private readonly environment: Environment,
    private readonly sharedCounters: SharedCounters,
    private readonly clock: Clock,
    private readonly scheduler: Scheduler,
  ) {}

  onApplicationBootstrap(): void {
    // Also with an unreliable clock: an instance that does not synchronise would double the limit.
    const run = () => this.synchronise();
    this.scheduler.register({ name: SYNCHRONISE_JOB, every: SYNCHRONISE_MS, run, runsWithUnreliableClock: true });
  }

  /**
   * Counts one request, and sets the response headers (draft-ietf-httpapi-ratelimit-headers).
   *
   * @throws TooManyRequestsError (429) beyond the limit
   */
  consume(policy: RateLimitPolicy, key: string, reply: FastifyReply): void {
    const limit = this.environment.rateLimits[policy];
    if (limit === 0) return;
    const now = this.clock.now().epochMilliseconds;
    const count = this.findCount(`${policy} ${key}`, limit, now);
    if (count === undefined) return;
    count.unshared += 1;
    const remaining = limit - count.shared - count.unshared;
    const seconds = Math.ceil((MINUTE_MS - (now % MINUTE_MS)) / 1000);
    appendHeader(reply, 'ratelimit-policy', `"${policy}";q=${limit};w=60`);
    appendHeader(reply, 'ratelimit', `"${policy}";r=${Math.max(0, remaining)};t=${seconds}`);
    if (remaining < 0) throw new TooManyRequestsError(seconds);
  }

  /** Adds the new counts to the table, and reads the totals. Counts that cannot be written are part of the next run. */
  private async synchronise(): Promise<void> {
    const { minute } = this;
    const due = [...this.counts].filter(
      ([, { unshared, limit }]) => unshared > 0 && unshared >= limit * MIN_SHARED_FRACTION,
    );
    if (due.length === 0) return;
    const sent = due.map(([key, count]) => ({ key, count, used: count.unshared }));
    const totals = await this.sharedCounters.add(minute, new Map(sent.map(({ key, used }) => [key, used])));
    for (const { key, count, used } of sent) {
      count.unshared -= used;
      count.shared = totals.get(key)!;
    }
  }

  private findCount(key: string, limit: number, now: number): RequestCount | undefined {
    const minute = Math.floor(now / MINUTE_MS);
    if (minute !== this.minute) {
      this.minute = minute;
      this.counts = new Map();
    }
    const existing = this.counts.get(key);
    if (existing !== undefined || this.counts.size >= MAX_COUNTS) return existing;
    const count = { shared: 0, unshared: 0, limit };
    this.counts.set(key, count);
    return count;
  }
}

/** Several policies may apply to a response: the header is a list. */
function appendHeader(reply: FastifyReply, name: string, item: string): void {
  const others = reply.getHeader(name);
  reply.header(name, others === undefined ? item : `${String(others)}, ${item}`);
}
