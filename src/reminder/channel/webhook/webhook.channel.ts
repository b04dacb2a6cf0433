import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { declareRules, declareVariables, Environment, readVariables, requireTls } from '../../../shared/config/env.js';
import { isStrongSecret, WEAK_SECRET_MESSAGE } from '../../../shared/config/secrets/secret-strength.js';
import { formatInstant } from '../../../shared/persistence/index.js';
import { Clock } from '../../../shared/time/index.js';
import { Tracing } from '../../../shared/tracing/index.js';
import { toHttpTarget } from '../../../shared/config/transport-security.js';
import {
  RetryLaterError,
  ReminderChannel,
  UndeliverableError,
  type ComposedMessage,
  type DeliveryReceipt,
  type ReminderMessage,
} from '../channel.js';
import { ChannelCircuitBreaker, type FailureScope } from '../channel-circuit-breaker.js';

const signingSecret = z
  .string()
  .regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/, {
    error: 'must be whsec_ and a base64 secret of at least 24 bytes',
    abort: true,
  })
  .refine(isStrongSecret, WEAK_SECRET_MESSAGE);
const variables = declareRules(
  z
    .object(
      declareVariables('Webhook', {
        REMINDER_WEBHOOK_URL: z
          .url({ protocol: /^https?$/, error: 'must be an http(s) URL' })
          .refine((url) => !hasCredentials(url), 'must not contain a user name or password')
          .optional()
          .describe('URL to which reminders are posted, in the format of Standard Webhooks. Absent: no webhook.'),
        REMINDER_WEBHOOK_SECRET: signingSecret.optional().meta({
          secret: true,
          description: 'The `whsec_…` secret of the signatures.',
          required: 'with `REMINDER_WEBHOOK_URL`',
        }),
        REMINDER_WEBHOOK_PREVIOUS_SECRET: signingSecret.optional().meta({
          secret: true,
          description:
            'The secret before `REMINDER_WEBHOOK_SECRET`, while it is replaced: messages have a signature of each (operations.md).',
        }),
      }),
    )
    .refine((values) => values.REMINDER_WEBHOOK_URL === undefined || values.REMINDER_WEBHOOK_SECRET !== undefined, {
      path: ['REMINDER_WEBHOOK_SECRET'],
      error: 'must be set when REMINDER_WEBHOOK_URL is',
    })
    .refine(
      (values) => values.REMINDER_WEBHOOK_PREVIOUS_SECRET === undefined || values.REMINDER_WEBHOOK_SECRET !== undefined,
      {
        path: ['REMINDER_WEBHOOK_PREVIOUS_SECRET'],
        error: 'needs REMINDER_WEBHOOK_SECRET, the secret that replaces it',
      },
    ),
);

/** `fetch` refuses such URLs. The signature of a message authenticates the service. */
function hasCredentials(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed !== null && (parsed.username !== '' || parsed.password !== '');
}

const TIMEOUT_MS = 10_000;

/**
 * Posts each message to a URL that the operator configures, in the Standard Webhooks format, so SMS or push
 * notification providers can be connected. A 2xx response means that the message was accepted. A 4xx response that may
 * concern the message itself is final; after any other failure, the message is retried.
 */
@Injectable()
export class WebhookChannel extends ReminderChannel implements OnApplicationShutdown {
  readonly name = 'WEBHOOK';
  private readonly url: string | undefined;
  /** Signers of the current secret and, while it is replaced, of the previous one, in this order. */
  private readonly signers: readonly Webhook[];
  /**
   * The circuit opens later than for e-mail, because a single receiver handles all messages and may work despite some
   * failures.
   */
  private readonly circuit = new ChannelCircuitBreaker((message: ReminderMessage) => this.post(message), {
    minimumMessages: 10,
    failurePercentage: 80,
    classifyFailure,
  });

  constructor(
    environment: Environment,
    private readonly clock: Clock,
    private readonly tracing: Tracing,
  ) {
    super();
    const values = readVariables(variables, environment.rawVariables);
    const { REMINDER_WEBHOOK_URL: url, REMINDER_WEBHOOK_SECRET: secret } = values;
    if (url !== undefined) requireTls(environment, 'REMINDER_WEBHOOK_URL', toHttpTarget(url));
    this.url = url;
    this.signers = [secret, values.REMINDER_WEBHOOK_PREVIOUS_SECRET]
      .filter((one) => one !== undefined)
      .map((one) => new Webhook(one));
  }

  get isConfigured(): boolean {
    return this.url !== undefined;
  }

  deliver(message: ReminderMessage): Promise<DeliveryReceipt> {
    return this.circuit.send(`${message.recipient.kind} ${message.recipient.id}`, message);
  }

  compose(message: ReminderMessage): ComposedMessage {
    return { subject: null, body: JSON.stringify(toPayload(message)) };
  }

  onApplicationShutdown(): void {
    this.circuit.shutdown();
  }

  private async post(message: ReminderMessage): Promise<DeliveryReceipt> {
    if (this.url === undefined) throw new UndeliverableError('not configured');
    const { body } = this.compose(message);
    const now = this.clock.now();
    const { traceparent } = this.tracing;
    const response = await fetch(this.url, {
      method: 'POST',
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        'content-type': 'application/json',
        'webhook-id': message.messageId,
        'webhook-timestamp': String(Math.floor(now.epochMilliseconds / 1000)),
        'webhook-signature': this.sign(message.messageId, now, body),
        // With the trace context, the receiver can continue the trace.
        ...(traceparent !== undefined && { traceparent }),
      },
    });
    await response.body?.cancel();
    if (response.ok) return {};
    throw toDeliveryError(response, now);
  }

  /** Several signatures are separated by spaces; a receiver accepts a message if one of them is valid. */
  private sign(messageId: string, now: Temporal.Instant, body: string): string {
    return this.signers.map((signer) => signer.sign(messageId, toDate(now), body)).join(' ');
  }
}

/** The body contains IDs and the message text, but neither the recipient's name nor an address. */
function toPayload({ messageId, clinicId, recipient, items, late, text, optOutUrl }: ReminderMessage) {
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
      ...(optOutUrl !== null && { optOutUrl }),
      items: items.map(({ reminderId, kind, sessionId, dueAt, startsAt, event }) => ({
        ...{ reminderId, kind, sessionId },
        dueAt: formatInstant(dueAt),
        startsAt: formatInstant(startsAt),
        ...(event === null && { cancelled: true }),
      })),
    },
  };
}

/**
 * 4xx statuses that concern the URL, the secret or the receiver's load rather than the message: failed authentication,
 * an unknown path, and temporary conditions.
 */
const TEMPORARY_STATUSES = new Set([401, 403, 404, 405, 407, 408, 421, 423, 425, 429]);

function classifyFailure(error: unknown): FailureScope {
  return error instanceof UndeliverableError ? 'MESSAGE' : 'SERVER';
}

function toDeliveryError(response: Response, now: Temporal.Instant): Error {
  const { status } = response;
  const retryAfter = parseRetryAfter(response.headers.get('retry-after'), now);
  const isTemporary = status >= 500 || status < 400 || TEMPORARY_STATUSES.has(status);
  if (isTemporary && retryAfter !== undefined) return new RetryLaterError(retryAfter);
  return isTemporary ? new Error(`answered ${status}`) : new UndeliverableError(`answered ${status}`);
}

const MAX_RETRY_AFTER_SECONDS = 3_600;
/** The only form of dates that senders may use (RFC 9110, section 5.6.7). `Date.parse` also reads `1.5` as a date. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} [\d:]{8} GMT$/;

/** `Retry-After` is either a number of seconds or an HTTP date (RFC 9110, section 10.2.3). */
function parseRetryAfter(header: string | null, now: Temporal.Instant): number | undefined {
  if (header === null) return undefined;
  const isNumber = /^\d{1,9}$/.test(header);
  if (!isNumber && !HTTP_DATE.test(header)) return undefined;
  const seconds = isNumber
    ? Number(header)
    : // eslint-disable-next-line no-restricted-globals -- Temporal cannot parse an HTTP date
      Math.ceil((Date.parse(header) - now.epochMilliseconds) / 1000);
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), MAX_RETRY_AFTER_SECONDS);
}

function toDate(instant: Temporal.Instant): Date {
  // eslint-disable-next-line no-restricted-globals -- the library requires a Date
  return new Date(instant.epochMilliseconds);
}
