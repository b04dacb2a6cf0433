import { setTimeout as delay } from 'node:timers/promises';
import { signToken } from '../../src/auth/index.js';
import { createClient, type CareSchedulingClient } from '../../src/client/index.js';
import { testEnvironment } from '../support/app/test-environment.js';

/** Longer than any outage that the load meets. */
const RETRY = { limit: 1_000, firstDelay: 100, maxDelay: 1_000, maxTime: 120_000 };
const TIMEOUT_MS = 10_000;
const AFTER_FAILURE_MS = 1_000;
const MOST_CHANGES = 100;
const FIRST_DAY = Temporal.PlainDate.from('2030-01-07');
const DAYS_BETWEEN = 14;

/** The calls of all workers. */
export class LoadCounts {
  requests = 0;
  /** Requests that failed and succeeded in a later attempt, and the greatest number of attempts. */
  cured = 0;
  mostAttempts = 1;
  writes = 0;
  /** The reads that directly follow a write of the same caller, and those that did not contain it. */
  ownReads = 0;
  readonly staleReads: string[] = [];
  /** Requests that failed for good. */
  readonly failures: string[] = [];
}

/** A Session as its last acknowledged write has left it. */
export type AcknowledgedSession = { id: number; version: number; time: string };

/**
 * A Clinic that works with the typed client without a pause: it creates Clients and Sessions, moves them, and reads
 * lists directly afterwards, as its people would. The Clinic, its Care Provider and its first Client have the same id.
 */
export class LoadWorker {
  readonly clientIds: number[] = [];
  /** By the title of their series. */
  readonly sessions = new Map<string, AcknowledgedSession[]>();
  private readonly api: CareSchedulingClient;
  private isFinishing = false;
  private rounds = 0;

  constructor(
    readonly id: number,
    baseUrl: string,
    private readonly counts: LoadCounts,
  ) {
    const token = () => signToken(testEnvironment.token, { role: 'CLINIC', id });
    this.api = createClient({ baseUrl, token, timeout: TIMEOUT_MS, retry: RETRY });
  }

  async run(): Promise<void> {
    while (!this.isFinishing) {
      try {
        await this.workOneRound();
      } catch (error) {
        this.counts.failures.push(String(error));
        await delay(AFTER_FAILURE_MS);
      }
    }
  }

  /** Stops after the current round. */
  finish(): void {
    this.isFinishing = true;
  }

  private async workOneRound(): Promise<void> {
    this.rounds += 1;
    const title = `${this.id}-${this.rounds}`;
    const date = FIRST_DAY.add({ days: DAYS_BETWEEN * (this.rounds % 500) });
    await this.createClientRecord(title);
    const session = await this.createSeries(title, date);
    await this.move(title, session, '11:00');
    await this.move(title, session, '12:30');
    await this.call(() => this.api.clinic.getWeek({ from: date.toString() }));
    await this.call(() => this.api.clinic.listReminders({ limit: 20 }));
  }

  private async createClientRecord(name: string): Promise<void> {
    const { id } = await this.write(() => this.api.clinic.createClient({ body: { name } }));
    this.clientIds.push(id);
    const { items } = await this.call(() => this.api.clinic.listClients({ sort: '-createdAt', limit: 5 }));
    this.expectOwn(
      `Client ${name}`,
      items.some((one) => one.id === id),
    );
  }

  private async createSeries(title: string, date: Temporal.PlainDate): Promise<AcknowledgedSession> {
    const body = {
      ...{ clientId: this.id, caregiverId: this.id, title, sessionCount: 2, intervalDays: 7, remindDays: 3 },
      ...{ date: date.toString().replaceAll('-', '/'), time: '09:00', durationMinutes: 45 },
    };
    const { sessions, seriesId } = await this.write(() => this.api.clinic.createSessions({ body }));
    const acknowledged = sessions.map(({ id, version }) => ({ id: id!, version, time: '09:00' }));
    this.sessions.set(title, acknowledged);
    const { items } = await this.call(() => this.api.clinic.listSessions({ seriesId: seriesId! }));
    this.expectOwn(`series ${title}`, items.length === acknowledged.length);
    return acknowledged[0]!;
  }

  private async move(title: string, session: AcknowledgedSession, time: string): Promise<void> {
    Object.assign(session, { version: await this.change(session, time), time });
    const { items } = await this.call(() =>
      this.api.clinic.listSessions({ clientId: this.id, sort: '-updatedAt', limit: 5 }),
    );
    const read = items.find(({ id }) => id === session.id);
    this.expectOwn(`move of ${title}`, read?.version === session.version);
  }

  /**
   * Returns the new version. A change has no `Idempotency-Key`, so the client does not repeat it: after an error, the
   * caller looks whether the change was executed.
   */
  private async change({ id, version }: AcknowledgedSession, time: string): Promise<number> {
    for (let attempts = 1; ; attempts += 1) {
      try {
        const change = await this.write(() => this.api.clinic.changeSession({ id, ifMatch: version, body: { time } }));
        this.count(attempts);
        return change.sessions.find((one) => one.id === id)!.version;
      } catch (error) {
        if (attempts === MOST_CHANGES || !isUncertain(error, attempts)) throw error;
      }
      const found = await this.call(() => this.api.clinic.getSession({ id }));
      if (found.version === version) continue;
      this.counts.writes += 1;
      this.count(attempts + 1);
      return found.version;
    }
  }

  private expectOwn(write: string, isThere: boolean): void {
    this.counts.ownReads += 1;
    if (!isThere) this.counts.staleReads.push(write);
  }

  private async write<T>(send: () => Sent<T>): Promise<T> {
    const data = await this.call(send);
    this.counts.writes += 1;
    return data;
  }

  private async call<T>(send: () => Sent<T>): Promise<T> {
    this.counts.requests += 1;
    const { data, attempts } = await send().withResponse();
    this.count(attempts);
    return data;
  }

  private count(attempts: number): void {
    if (attempts > 1) this.counts.cured += 1;
    this.counts.mostAttempts = Math.max(this.counts.mostAttempts, attempts);
  }
}

/** Whether a change may have been executed. A refused version can be the effect of the attempt before. */
function isUncertain(error: unknown, attempts: number): boolean {
  // The error has no status if no response has come.
  const { status = 503 } = error as { status?: number };
  return status >= 500 || (status === 412 && attempts > 1);
}

type Sent<T> = { withResponse(): Promise<{ data: T; attempts: number }> };
