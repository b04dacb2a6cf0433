import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Scheduler } from '../scheduler/index.js';
import { Environment, type RateLimits } from '../shared/config/env.js';
import { TooManyRequestsError } from '../shared/errors/index.js';
import { Clock } from '../shared/time/index.js';
import { SharedCounters } from './shared-counters.js';

/** What is limited, as the headers name it. */
export type RateLimitPolicy = keyof RateLimits;

/** What somebody has used up in this minute: told by the table when last asked, and not told to it yet. */
type RequestCount = { shared: number; unshared: number; limit: number };

const MINUTE_MS = 60_000;
const SYNCHRONISE_JOB = 'rate-limit-synchronisation';
const SYNCHRONISE_MS = 1_000;
/** Who has used less than this part of a limit since the table was last told is not worth a row. */
const MIN_SHARED_FRACTION = 0.01;
/** Keeps a flood of addresses from filling the memory. Those beyond it are not counted by this instance. */
const MAX_COUNTS = 100_000;

/**
 * Requests a minute, of callers and of addresses, over all instances. No request waits for the database: it is
 * counted in memory, and the counts are added up in a table once a second. So with n instances, a limit l lets
 * through at most l, and what arrives at them within two seconds, and n × l / 100. Windows are whole minutes of the
 * clock. Without the database each instance limits alone.
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
    // With a wrong clock, too: an instance that did not add up would let through as much again.
    const run = () => this.synchronise();
    this.scheduler.register({ name: SYNCHRONISE_JOB, every: SYNCHRONISE_MS, run, runsWithUnreliableClock: true });
  }

  /**
   * Counts one request, and tells in the answer's headers what is left (draft-ietf-httpapi-ratelimit-headers).
   *
   * @throws TooManyRequestsError (429) when nothing is
   */
  consume(policy: RateLimitPolicy, key: string, reply: FastifyReply): void {
    const limit = this.environment.rateLimits[policy];
    if (limit === 0) return;
    const now = this.clock.now().epochMilliseconds;
    const count = this.findCount(`${policy} ${key}`, limit, now);
    if (count === undefined) return;
    count.unshared += 1;
    const left = limit - count.shared - count.unshared;
    const seconds = Math.ceil((MINUTE_MS - (now % MINUTE_MS)) / 1000);
    appendHeader(reply, 'ratelimit-policy', `"${policy}";q=${limit};w=60`);
    appendHeader(reply, 'ratelimit', `"${policy}";r=${Math.max(0, left)};t=${seconds}`);
    if (left < 0) throw new TooManyRequestsError(seconds);
  }

  /** Adds up with the other instances. Counts that could not be added are added by the next run; until then this instance limits alone. */
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
    const known = this.counts.get(key);
    if (known !== undefined || this.counts.size >= MAX_COUNTS) return known;
    const count = { shared: 0, unshared: 0, limit };
    this.counts.set(key, count);
    return count;
  }
}

/** Several policies may apply to one answer: a header is a list of them. */
function appendHeader(reply: FastifyReply, name: string, item: string): void {
  const others = reply.getHeader(name);
  reply.header(name, others === undefined ? item : `${String(others)}, ${item}`);
}
