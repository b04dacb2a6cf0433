import type pg from 'pg';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { signToken } from '../../../src/auth/index.js';
import { testEnvironment } from '../app/test-app.js';

const PLAN = '/gateway/profile/clinic/design-plan';
const SESSION = '/gateway/profile/caregiver/session';
const RETRY_DELAY_MS = 50;

/** A response that requires no retry, and the number of attempts that it took. */
type FinalResponse = { status: number; headers: Headers; text: string; attempts: number };
type WriteRequest = { method: string; path: string; headers: Record<string, string>; body?: unknown };

/**
 * A plan and a series of two Sessions that were acknowledged, both with this title. The first Session has been moved to
 * `times` and has the version `version`.
 */
export type AcknowledgedWrite = {
  title: string;
  planId: number;
  sessionIds: number[];
  times: string[];
  version: number;
};

/** Inserts a Clinic and a Care Provider, both with ID 1, and one Client per writer. */
export async function insertParticipants(client: pg.Client, writers: number): Promise<void> {
  await client.query(`
    insert into clinic (name, time_zone, active, created_at) values ('C', 'Europe/London', true, now());
    insert into care_provider (clinic_id, name, active, created_at) values (1, 'P', true, now());
    insert into client (clinic_id, name, active, created_at)
      select 1, 'K', true, now() from generate_series(1, ${writers});
    insert into client_assignment (clinic_id, client_id, care_provider_id, assigned_at)
      select 1, n, 1, now() from generate_series(1, ${writers}) n`);
}

/**
 * A client that writes plans and series one after another, and retries each request until it is answered. Creations use
 * an `Idempotency-Key`, and changes use `If-Match`.
 */
export class RetryingWriter {
  readonly acknowledged: AcknowledgedWrite[] = [];
  /** Number of requests. `retryCount` counts those that failed or had to be retried. */
  requestCount = 0;
  retryCount = 0;
  /** Responses that a correct service would not send. */
  readonly unexpectedResponses: string[] = [];
  private isFinishing = false;
  private tokens!: { clinic: string; careProvider: string };

  /** @param url returns the base URL for the next request */
  constructor(
    private readonly clientId: number,
    private readonly url: () => string,
  ) {}

  async run(): Promise<void> {
    this.tokens = {
      clinic: await signToken(testEnvironment.token, { role: 'CLINIC', id: 1 }),
      careProvider: await signToken(testEnvironment.token, { role: 'CARE_PROVIDER', id: 1 }),
    };
    while (!this.isFinishing) await this.writePlanAndSeries(`${this.clientId}-${this.acknowledged.length}`);
  }

  /** Stops once the current plan and series are written. */
  finish(): void {
    this.isFinishing = true;
  }

  private async writePlanAndSeries(title: string): Promise<void> {
    const plan = await this.create(PLAN, this.tokens.clinic, { planName: title });
    const planId = Number(plan.headers.get('location')?.split('/').at(-1));
    // The dates are 14 days apart, so that Sessions do not overlap.
    const date = Temporal.PlainDate.from('2030-01-01').add({ days: 14 * (this.acknowledged.length % 500) });
    const session = await this.create(SESSION, this.tokens.careProvider, {
      ...{ clientId: this.clientId, title, sessionCount: 2, time: '09:00', remindDays: 0 },
      date: date.toString().replaceAll('-', '/'),
    });
    const sessionIds = (/: ([\d, ]+)\./.exec(session.text)?.[1] ?? '').split(', ').map(Number);
    const times = ['10:00', '11:00'];
    for (const time of times) await this.move(sessionIds[0]!, time);
    const version = JSON.parse(await this.readEtag(sessionIds[0]!)) as string;
    this.acknowledged.push({ title, planId, sessionIds, times, version: Number(version) });
  }

  private async create(path: string, token: string, body: object): Promise<FinalResponse> {
    const headers = { authorization: `bearer ${token}`, 'idempotency-key': randomUUID() };
    const answer = await this.send({ method: 'POST', path, headers, body });
    if (answer.status !== 201) this.unexpectedResponses.push(`POST ${path} ${answer.status} ${answer.text}`);
    return answer;
  }

  /** No other client moves this Session, so 412 on a retry means that the first attempt was executed. */
  private async move(id: number, time: string): Promise<void> {
    const headers = { authorization: `bearer ${this.tokens.careProvider}`, 'if-match': await this.readEtag(id) };
    const answer = await this.send({ method: 'PATCH', path: `${SESSION}/${id}`, headers, body: { time } });
    const isDone = answer.status === 200 || (answer.status === 412 && answer.attempts > 1);
    if (!isDone) this.unexpectedResponses.push(`PATCH ${answer.status} ${answer.text}`);
  }

  private async readEtag(id: number): Promise<string> {
    const headers = { authorization: `bearer ${this.tokens.careProvider}` };
    return (await this.send({ method: 'GET', path: `${SESSION}/${id}`, headers })).headers.get('etag')!;
  }

  /** Repeats the request until a response arrives that requires no retry. */
  private async send(outgoing: WriteRequest): Promise<FinalResponse> {
    for (let attempts = 1; ; attempts += 1) {
      this.requestCount += 1;
      const answer = await attempt(this.url(), outgoing).catch(() => undefined);
      if (answer !== undefined && !isRetryable(answer)) return { ...answer, attempts };
      this.retryCount += 1;
      await delay(RETRY_DELAY_MS);
    }
  }
}

async function attempt(
  url: string,
  { method, path, headers, body }: WriteRequest,
): Promise<Omit<FinalResponse, 'attempts'>> {
  const response = await fetch(`${url}${path}`, {
    method,
    ...(body === undefined
      ? { headers }
      : { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  // A write counts as acknowledged only once the whole response has arrived.
  return { status: response.status, headers: response.headers, text: await response.text() };
}

function isRetryable({ status, text }: Omit<FinalResponse, 'attempts'>): boolean {
  return status === 503 || (status === 409 && text.includes('urn:problem:request-in-flight'));
}
