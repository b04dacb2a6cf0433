import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Scheduler } from '../scheduler/index.js';
import { Environment, type RateLimits } from '../shared/config/env.js';
import { TooManyRequestsError } from '../shared/errors/index.js';
import { Clock } from '../shared/time/index.js';
import { SharedRateLimitCounts } from './shared-rate-limit-counts.js';

/** The name of a limit in the response headers. */
type RateLimitName = keyof RateLimits;

/**
 * Requests in the current minute: the total across all instances at the last synchronisation (`shared`), and the
 * requests to this instance since then (`unshared`).
 */
type RequestCount = { shared: number; unshared: number; limit: number };

const MINUTE_MS = 60_000;
const SYNCHRONISE_JOB = 'rate-limit-synchronisation';
const SYNCHRONISE_MS = 1_000;
/** Counts below this fraction of the limit are not written to the table. */
const MIN_SHARED_FRACTION = 0.01;
/**
 * The maximum number of callers and addresses that an instance counts in a minute. Further callers and addresses are
 * neither counted nor limited, so that a flood of requests from many addresses cannot fill the memory.
 */
const MAX_COUNTS = 100_000;

/**
 * Limits requests per minute for each caller and address across all instances. Requests are counted in memory, so no
 * request waits for the database, and the counts are synchronised with a table once a second. With n instances and a
 * limit l, the excess is at most two seconds' worth of requests plus n × l / 100. Windows are whole clock minutes.
 * While the database is unavailable, each instance applies the limits on its own.
 */
@Injectable()
export class RateLimiter implements OnApplicationBootstrap {
  private minute = 0;
  private counts = new Map<string, RequestCount>();

  constructor(
    private readonly environment: Environment,
    private readonly sharedCounts: SharedRateLimitCounts,
    private readonly clock: Clock,
    private readonly scheduler: Scheduler,
  ) {}

  onApplicationBootstrap(): void {
    // The job runs even with an unreliable clock; otherwise, each instance would allow the full limit.
    const run = () => this.synchroniseCounts();
    this.scheduler.register({ name: SYNCHRONISE_JOB, every: SYNCHRONISE_MS, run, runsWithUnreliableClock: true });
  }

  /**
   * Counts a request and sets the rate limit headers of the response (draft-ietf-httpapi-ratelimit-headers).
   *
   * @throws TooManyRequestsError (429) if the limit is exceeded
   */
  countRequest(policy: RateLimitName, key: string, reply: FastifyReply): void {
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

  /** Adds the new counts to the table and reads the totals. Counts that cannot be written are added in the next run. */
  private async synchroniseCounts(): Promise<void> {
    const { minute } = this;
    const due = [...this.counts].filter(
      ([, { unshared, limit }]) => unshared > 0 && unshared >= limit * MIN_SHARED_FRACTION,
    );
    if (due.length === 0) return;
    const sent = due.map(([key, count]) => ({ key, count, used: count.unshared }));
    const totals = await this.sharedCounts.addCounts(minute, new Map(sent.map(({ key, used }) => [key, used])));
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

/** Appends an item to the header, which is a list because several policies may apply to a response. */
function appendHeader(reply: FastifyReply, name: string, item: string): void {
  const others = reply.getHeader(name);
  reply.header(name, others === undefined ? item : `${String(others)}, ${item}`);
}
