import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { createTransport, type SendMailOptions, type SentMessageInfo, type Transporter } from 'nodemailer';
import MailComposer from 'nodemailer/lib/mail-composer';
import { z } from 'zod';
import { declareRules, declareVariables, Environment, readVariables, requireTls } from '../../../shared/config/env.js';
import { toSmtpTarget } from '../../../shared/config/transport-security.js';
import {
  ReminderChannel,
  UndeliverableError,
  UnreadableAddressError,
  type ComposedMessage,
  type DeliveryReceipt,
  type ReminderMessage,
} from '../channel.js';
import { ChannelCircuitBreaker, type FailureScope } from '../channel-circuit-breaker.js';
import { toReminderMail, type ReminderMail } from './mail.js';

const variables = declareRules(
  z
    .object(
      declareVariables('E-mail', {
        SMTP_URL: z
          .url({ protocol: /^smtps?$/, error: 'must be an smtp:// or smtps:// URL' })
          .optional()
          .meta({ secret: true, description: 'Mail server, `smtp://` or `smtps://`. Absent: no e-mail.' }),
        MAIL_FROM: z
          .string()
          .regex(/@/, 'must be an address such as Clinic <no-reply@care.example.org>')
          .optional()
          .meta({ description: 'Sender, such as `Clinic <no-reply@care.example.org>`.', required: 'with `SMTP_URL`' }),
        SMTP_CONNECTIONS: z.coerce
          .number({ error: 'must be a whole number from 1 to 100' })
          .int()
          .min(1)
          .max(100)
          .default(10)
          .describe('Connections of each instance to the mail server, 1 to 100.'),
      }),
    )
    .refine((values) => values.SMTP_URL === undefined || values.MAIL_FROM !== undefined, {
      path: ['MAIL_FROM'],
      error: 'must be set when SMTP_URL is',
    }),
);

/** The timeouts are short, because a failed message is retried. */
const TIMEOUTS_MS = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 15_000 };
/** A connection is replaced after this many messages. Mail servers that limit this number allow at least 100. */
const MESSAGES_PER_CONNECTION = 100;
/** nodemailer must not retry: the service retries reminders itself, and the circuit breaker must count every attempt. */
const MAX_REQUEUES = 0;

/** Sends e-mail by SMTP. A permanent refusal of the address or message is final; other failures are retried. */
@Injectable()
export class EmailChannel extends ReminderChannel implements OnApplicationShutdown {
  readonly name = 'EMAIL';
  /**
   * The number of connections. If more messages were sent at once, some would wait for a connection and could no longer
   * be withdrawn.
   */
  override readonly concurrency: number;
  private readonly from: string | undefined;
  private readonly transport: Transporter | undefined;
  private readonly circuit: ChannelCircuitBreaker<ReminderMail, SentMessageInfo> | undefined;

  constructor(private readonly environment: Environment) {
    super();
    const values = readVariables(variables, environment.rawVariables);
    const { SMTP_URL: url, SMTP_CONNECTIONS: connections } = values;
    this.concurrency = connections;
    if (url === undefined) return;
    requireTls(environment, 'SMTP_URL', toSmtpTarget(url));
    const transport = createTransport({
      url,
      pool: true,
      maxConnections: connections,
      maxMessages: MESSAGES_PER_CONNECTION,
      maxRequeues: MAX_REQUEUES,
      ...TIMEOUTS_MS,
    });
    this.from = values.MAIL_FROM;
    this.transport = transport;
    this.circuit = new ChannelCircuitBreaker(async (mail) => transport.sendMail(await composeMail(mail)), {
      minimumMessages: 5,
      failurePercentage: 50,
      classifyFailure,
    });
  }

  get isConfigured(): boolean {
    return this.transport !== undefined;
  }

  async deliver(message: ReminderMessage): Promise<DeliveryReceipt> {
    if (message.recipient.isEmailUnreadable) throw new UnreadableAddressError();
    if (message.recipient.email === null) throw new UndeliverableError('no address');
    if (this.circuit === undefined || this.from === undefined) throw new UndeliverableError('not configured');
    const { email } = message.recipient;
    try {
      const sent = await this.circuit.send(
        email,
        toReminderMail(message, email, this.from, this.environment.publicUrl),
      );
      return { providerId: sent.messageId };
    } catch (error) {
      throw classifyFailure(error) === 'MESSAGE' ? new UndeliverableError('refused by the server') : error;
    }
  }

  /** The plain text of the e-mail; its HTML part has the same paragraphs. */
  compose(message: ReminderMessage): ComposedMessage | undefined {
    const { email } = message.recipient;
    if (email === null) return undefined;
    const { subject, text } = toReminderMail(message, email, this.from ?? '', this.environment.publicUrl);
    return { subject, body: text };
  }

  onApplicationShutdown(): void {
    this.circuit?.shutdown();
    this.transport?.close();
  }
}

/** Composes the e-mail in memory, because a stream would write each header and part to the connection separately. */
async function composeMail(mail: ReminderMail): Promise<SendMailOptions> {
  const { from, to, messageId } = mail;
  const composed = new MailComposer(mail).compile();
  return { envelope: { from, to }, messageId, raw: await composed.build() };
}

/**
 * Classifies an SMTP failure. 4yz replies are transient and 5yz replies permanent (RFC 5321, section 4.2.1). A refusal
 * of MAIL FROM or of an earlier command affects all messages, so it is never treated as permanent. 421 means that the
 * server is shutting down (section 3.8).
 */
function classifyFailure(error: unknown): FailureScope {
  const { code, command, responseCode } = error as { code?: string; command?: string; responseCode?: number };
  const isAboutMessage = code === 'EENVELOPE' || code === 'EMESSAGE';
  // A failure without a reply means that the address is invalid or the e-mail is larger than the server accepts.
  if (isAboutMessage && responseCode === undefined) return 'MESSAGE';
  if (isAboutMessage && responseCode! >= 500 && command !== 'MAIL FROM') return 'MESSAGE';
  return command === 'RCPT TO' && responseCode !== undefined && responseCode !== 421 ? 'RECIPIENT' : 'SERVER';
}
