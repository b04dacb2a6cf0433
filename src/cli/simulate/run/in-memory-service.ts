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
/** The send time of the next reminder, and the numbers of queued and finished reminders. */
type ReminderProgress = { next: Temporal.Instant | undefined; queued: number; finished: number };

const POLL_INTERVAL_MS = 10;

export type ServiceCaller = { role: Role; id: number };

/** The service has refused a request. The message lists the problem's errors or, if there are none, its detail. */
export class RequestRefusedError extends Error {
  constructor({ detail, errors = [] }: Problem) {
    super(errors.map((error) => `${error.pointer} ${error.detail}`.trim()).join('; ') || detail);
  }
}

/** A clock that moves only when `set` is called. */
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
 * Runs the service on an in-memory database and calls it over HTTP. The process environment is ignored, so simulated
 * messages go only to the log channel.
 */
export class InMemoryService {
  /** The messages that the service has delivered, in order. */
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

  static async start(clock: SimulatedClock): Promise<InMemoryService> {
    const secret = randomBytes(32).toString('hex');
    // Reminders are dispatched by `deliverDueReminders`, so the dispatch job is scheduled for only once a year.
    const variables = { DATA_DIR: 'memory:', LOG_LEVEL: 'silent', JWT_SECRET: secret, REMINDER_CRON: '0 0 0 1 1 *' };
    const environment = readEnvironment(variables);
    const app = await createApplication(environment, clock);
    await app.listen({ port: 0, host: '127.0.0.1' });
    return new InMemoryService(app, clock, await app.getUrl(), environment.token);
  }

  stop(): Promise<void> {
    return this.app.close();
  }

  /** @throws RequestRefusedError if the response is an error */
  async call<T>(caller: ServiceCaller, method: Method, path: string, body?: unknown): Promise<T> {
    return (await (await this.request(caller, method, path, body)).json()) as T;
  }

  /**
   * Creates a record.
   *
   * @returns the last path segment of its `Location`
   * @throws RequestRefusedError if the response is an error
   */
  async create(caller: ServiceCaller, path: string, body: unknown): Promise<string> {
    const { headers } = await this.request(caller, 'POST', path, body);
    return headers.get('location')!.split('/').at(-1)!;
  }

  /** Reads all pages of a list. */
  async list<T>(caller: ServiceCaller, path: string): Promise<T[]> {
    const items: T[] = [];
    const separator = path.includes('?') ? '&' : '?';
    for (let cursor = ''; ;) {
      const page = await this.call<Page<T>>(caller, 'GET', `${path}${separator}limit=200${cursor}`);
      items.push(...page.items);
      if (page.nextCursor === null) return items;
      cursor = `&cursor=${page.nextCursor}`;
    }
  }

  /** Reads the next send time and counts the queued and finished reminders. */
  async readReminderProgress(): Promise<ReminderProgress> {
    const progress = sql<{ next: number | null; queued: number; finished: number }>`
      select (extract(epoch from min(send_at) filter (where status = 'PENDING')) * 1000)::float8 as next,
        (count(*) filter (where status = 'QUEUED'))::int as queued,
        (count(*) filter (where status not in ('PENDING', 'QUEUED')))::int as finished
      from reminder`;
    const { rows } = await forkForActor(this.app.get(MikroORM).em, { role: 'REMINDERS' }).transactional((em) =>
      progress.execute((em as SqlEntityManager).getKysely()),
    );
    const { next, queued, finished } = rows[0]!;
    return { next: next === null ? undefined : Temporal.Instant.fromEpochMilliseconds(next), queued, finished };
  }

  /** Dispatches the due reminders and waits until the worker has processed them. */
  async deliverDueReminders(): Promise<ReminderProgress> {
    await this.app.get(ReminderDispatcher).dispatchDue();
    for (;;) {
      const progress = await this.readReminderProgress();
      if (progress.queued === 0) return progress;
      await setTimeout(POLL_INTERVAL_MS);
    }
  }

  private async request(caller: ServiceCaller, method: Method, path: string, body?: unknown) {
    const authorization = `bearer ${await this.getToken(caller)}`;
    const content = body === undefined ? {} : { 'content-type': 'application/json' };
    const headers = { authorization, ...content };
    const response = await fetch(new URL(path, this.url), { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new RequestRefusedError((await response.json()) as Problem);
    return response;
  }

  private getToken({ role, id }: ServiceCaller): Promise<string> {
    const key = `${role} ${id}`;
    const token = this.tokens.get(key) ?? signToken(this.tokenEnvironment, { role, id });
    this.tokens.set(key, token);
    return token;
  }
}
