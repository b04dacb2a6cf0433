import { MikroORM } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { sql } from 'kysely';
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { createApplication } from '../../../app.setup.js';
import { signToken } from '../../../auth/index.js';
import { LogChannel, ReminderDispatcher, type ReminderMessage } from '../../../reminder/index.js';
import type { Role } from '../../../shared/access/index.js';
import { readEnvironment, type TokenEnvironment } from '../../../shared/config/env.js';
import type { Problem } from '../../../shared/errors/index.js';
import { forkForActor } from '../../../shared/persistence/index.js';
import { Clock } from '../../../shared/time/index.js';
import type { Page } from '../../../shared/validation/index.js';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH';
/** Reminders that are with the queue, those to which nothing more happens by itself, and when the next is due. */
export type ReminderProgress = { next: Temporal.Instant | undefined; queued: number; settled: number };

const POLL_INTERVAL_MS = 10;

export type Caller = { role: Role; id: number };

/** The service has refused a request, and says why. */
export class RequestRefusedError extends Error {
  constructor({ detail, errors = [] }: Problem) {
    super(errors.map((error) => `${error.pointer} ${error.detail}`.trim()).join('; ') || detail);
  }
}

/** A clock that stands still until it is moved on. */
export class SimulatedClock extends Clock {
  constructor(private instant: Temporal.Instant) {
    super();
  }

  now(): Temporal.Instant {
    return this.instant;
  }

  set(instant: Temporal.Instant): void {
    this.instant = instant;
  }
}

/**
 * The whole service on a database in memory, called over HTTP on this machine. Of the process's own environment it
 * sees nothing: whatever is configured there, a simulated message goes to the log channel and nowhere else.
 */
export class SimulatedService {
  /** What has left through the channel, in order. */
  readonly messages: { at: Temporal.Instant; message: ReminderMessage }[] = [];
  private readonly tokens = new Map<string, Promise<string>>();

  private constructor(
    private readonly app: NestFastifyApplication,
    readonly clock: SimulatedClock,
    private readonly url: string,
    private readonly tokenEnvironment: TokenEnvironment,
  ) {
    const channel = app.get(LogChannel);
    const deliver = channel.deliver.bind(channel);
    channel.deliver = async (message) => {
      const receipt = await deliver(message);
      this.messages.push({ at: clock.now(), message });
      return receipt;
    };
  }

  static async start(clock: SimulatedClock): Promise<SimulatedService> {
    const secret = randomBytes(32).toString('hex');
    // The tick of the real clock stays out of it, but for once a year.
    const variables = { DATA_DIR: 'memory:', LOG_LEVEL: 'silent', JWT_SECRET: secret, REMINDER_CRON: '0 0 0 1 1 *' };
    const environment = readEnvironment(variables);
    const app = await createApplication(environment, clock);
    await app.listen({ port: 0, host: '127.0.0.1' });
    return new SimulatedService(app, clock, await app.getUrl(), environment.token);
  }

  stop(): Promise<void> {
    return this.app.close();
  }

  /** @throws RefusedError for anything but success */
  async call<T>(as: Caller, method: Method, path: string, body?: unknown): Promise<T> {
    return (await (await this.request(as, method, path, body)).json()) as T;
  }

  /** Creates something and returns the last part of its location. @throws RefusedError */
  async create(as: Caller, path: string, body: unknown): Promise<string> {
    const { headers } = await this.request(as, 'POST', path, body);
    return headers.get('location')!.split('/').at(-1)!;
  }

  /** All items of a list. */
  async list<T>(as: Caller, path: string): Promise<T[]> {
    const items: T[] = [];
    const separator = path.includes('?') ? '&' : '?';
    for (let cursor = ''; ;) {
      const page = await this.call<Page<T>>(as, 'GET', `${path}${separator}limit=200${cursor}`);
      items.push(...page.items);
      if (page.nextCursor === null) return items;
      cursor = `&cursor=${page.nextCursor}`;
    }
  }

  /** How the reminders stand. */
  async readReminderProgress(): Promise<ReminderProgress> {
    const standing = sql<{ next: number | null; queued: number; settled: number }>`
      select (extract(epoch from min(send_at) filter (where status = 'PENDING')) * 1000)::float8 as next,
        (count(*) filter (where status = 'QUEUED'))::int as queued,
        (count(*) filter (where status not in ('PENDING', 'QUEUED')))::int as settled
      from reminder`;
    const { rows } = await forkForActor(this.app.get(MikroORM).em, { role: 'REMINDERS' }).transactional((em) =>
      standing.execute((em as SqlEntityManager).getKysely()),
    );
    const { next, queued, settled } = rows[0]!;
    return { next: next === null ? undefined : Temporal.Instant.fromEpochMilliseconds(next), queued, settled };
  }

  /** Hands over what is due now, and waits until the worker has settled it. */
  async deliverDue(): Promise<ReminderProgress> {
    await this.app.get(ReminderDispatcher).dispatchDue();
    for (;;) {
      const standing = await this.readReminderProgress();
      if (standing.queued === 0) return standing;
      await setTimeout(POLL_INTERVAL_MS);
    }
  }

  private async request(as: Caller, method: Method, path: string, body?: unknown) {
    const authorization = `bearer ${await this.getToken(as)}`;
    const content = body === undefined ? {} : { 'content-type': 'application/json' };
    const headers = { authorization, ...content };
    const response = await fetch(new URL(path, this.url), { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new RequestRefusedError((await response.json()) as Problem);
    return response;
  }

  private getToken({ role, id }: Caller): Promise<string> {
    const key = `${role} ${id}`;
    const token = this.tokens.get(key) ?? signToken(this.tokenEnvironment, { role, id });
    this.tokens.set(key, token);
    return token;
  }
}
