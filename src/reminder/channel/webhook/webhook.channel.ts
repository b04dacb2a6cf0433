import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { declareVariables, Environment, readVariables, requireTls } from '../../../shared/config/env.js';
import { formatInstant } from '../../../shared/persistence/index.js';
import { Clock } from '../../../shared/time/index.js';
import { toHttpDestination } from '../../../shared/config/transport-security.js';
import { NotNowError, ReminderChannel, UndeliverableError, type Receipt, type ReminderMessage } from '../channel.js';
import { Circuit, type Blame } from '../channel-circuit.js';

const variables = z
  .object(
    declareVariables('Webhook', {
      REMINDER_WEBHOOK_URL: z
        .url({ protocol: /^https?$/, error: 'must be an http(s) URL' })
        .optional()
        .describe('URL that reminders are posted to, in the form of Standard Webhooks. Absent: no webhook.'),
      REMINDER_WEBHOOK_SECRET: z
        .string()
        .regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/, 'must be whsec_ and a base64 secret of at least 24 bytes')
        .optional()
        .meta({ description: 'The `whsec_…` secret of the signatures.', required: 'with `REMINDER_WEBHOOK_URL`' }),
    }),
  )
  .refine((given) => given.REMINDER_WEBHOOK_URL === undefined || given.REMINDER_WEBHOOK_SECRET !== undefined, {
    path: ['REMINDER_WEBHOOK_SECRET'],
    error: 'must be set when REMINDER_WEBHOOK_URL is',
  });

const TIMEOUT_MS = 10_000;

/**
 * Posts each message to a URL of the operator's, in the form of Standard Webhooks, so that providers of SMS or
 * push can be put behind it. 2xx has taken it; 4xx is final where it may speak of the message; the rest is tried again.
 */
@Injectable()
export class WebhookChannel extends ReminderChannel implements OnApplicationShutdown {
  readonly name = 'WEBHOOK';
  private readonly url: string | undefined;
  private readonly signer: Webhook | undefined;
  /** One receiver serves all: that a part of its answers are failures says less than it does of a mail server. */
  private readonly circuit = new Circuit((message: ReminderMessage) => this.post(message), {
    ...{ volume: 10, threshold: 80 },
    blame: blameOf,
  });

  constructor(
    environment: Environment,
    private readonly clock: Clock,
  ) {
    super();
    const { REMINDER_WEBHOOK_URL: url, REMINDER_WEBHOOK_SECRET: secret } = readVariables(
      variables,
      environment.rawVariables,
    );
    if (url !== undefined) requireTls(environment, 'REMINDER_WEBHOOK_URL', toHttpDestination(url));
    this.url = url;
    this.signer = secret === undefined ? undefined : new Webhook(secret);
  }

  get isConfigured(): boolean {
    return this.url !== undefined;
  }

  deliver(message: ReminderMessage): Promise<Receipt> {
    return this.circuit.fire(`${message.recipient.kind} ${message.recipient.id}`, message);
  }

  onApplicationShutdown(): void {
    this.circuit.shutdown();
  }

  private async post(message: ReminderMessage): Promise<Receipt> {
    if (this.url === undefined || this.signer === undefined) throw new UndeliverableError('not configured');
    const body = JSON.stringify(payloadOf(message));
    const now = this.clock.now();
    const response = await fetch(this.url, {
      method: 'POST',
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        'content-type': 'application/json',
        'webhook-id': message.messageId,
        'webhook-timestamp': String(Math.floor(now.epochMilliseconds / 1000)),
        'webhook-signature': this.signer.sign(message.messageId, dateOf(now), body),
      },
    });
    await response.body?.cancel();
    if (response.ok) return {};
    throw refusalOf(response, now);
  }
}

/** What leaves the service: ids and neutral text, never a name or an address. */
function payloadOf({ messageId, clinicId, recipient, items, late, text }: ReminderMessage) {
  return {
    type: 'reminder.due',
    timestamp: formatInstant(items[0]!.dueAt),
    data: {
      messageId,
      clinicId,
      recipient: { kind: recipient.kind, id: recipient.id, timeZone: recipient.timeZone },
      late,
      subject: text.subject,
      text: text.plain,
      items: items.map(({ reminderId, kind, sessionId, dueAt, startsAt }) => ({
        ...{ reminderId, kind, sessionId },
        dueAt: formatInstant(dueAt),
        startsAt: formatInstant(startsAt),
      })),
    },
  };
}

/**
 * 4xx that speak of the one URL that all messages go to, of its keys or of its load, and of no message: authentication,
 * a path that is not there (yet), and what HTTP itself calls passing.
 */
const PASSING = new Set([401, 403, 404, 405, 407, 408, 421, 423, 425, 429]);

function blameOf(error: unknown): Blame {
  return error instanceof UndeliverableError ? 'MESSAGE' : 'SERVER';
}

function refusalOf(response: Response, now: Temporal.Instant): Error {
  const { status } = response;
  const retryAfter = secondsOf(response.headers.get('retry-after'), now);
  const passes = status >= 500 || status < 400 || PASSING.has(status);
  if (passes && retryAfter !== undefined) return new NotNowError(retryAfter);
  return passes ? new Error(`answered ${status}`) : new UndeliverableError(`answered ${status}`);
}

const LONGEST_WAIT_SECONDS = 3_600;

/** `Retry-After` is seconds or an HTTP date (RFC 9110, section 10.2.3). */
function secondsOf(header: string | null, now: Temporal.Instant): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d{1,9}$/.test(header)
    ? Number(header)
    : // eslint-disable-next-line no-restricted-globals -- an HTTP date is in no format that Temporal reads
      Math.ceil((Date.parse(header) - now.epochMilliseconds) / 1000);
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), LONGEST_WAIT_SECONDS);
}

function dateOf(instant: Temporal.Instant): Date {
  // eslint-disable-next-line no-restricted-globals -- the signer takes a Date
  return new Date(instant.epochMilliseconds);
}
