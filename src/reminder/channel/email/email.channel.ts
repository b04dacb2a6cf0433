import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { createTransport, type SentMessageInfo, type Transporter } from 'nodemailer';
import CircuitBreaker from 'opossum';
import { z } from 'zod';
import { Environment, readVariables, requireTls } from '../../../shared/env.js';
import { smtpDestination } from '../../../shared/transport-security.js';
import { NotNowError, ReminderChannel, UndeliverableError, type Receipt, type ReminderMessage } from '../channel.js';
import { mailOf, type Mail } from './mail.js';

const variables = z
  .object({
    SMTP_URL: z.url({ protocol: /^smtps?$/, error: 'must be an smtp:// or smtps:// URL' }).optional(),
    MAIL_FROM: z.string().regex(/@/, 'must be an address such as Clinic <no-reply@care.example.org>').optional(),
  })
  .refine((given) => given.SMTP_URL === undefined || given.MAIL_FROM !== undefined, {
    path: ['MAIL_FROM'],
    error: 'must be set when SMTP_URL is',
  });

/** Of the server, in milliseconds: it is tried again soon enough. */
const TIMEOUTS = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 15_000 };
const CONNECTIONS = 5;
/** The queue tries again, and the circuit counts each attempt: nothing beneath them repeats on its own. */
const REPEATS = 0;

/** A server that fails half of its messages is left alone for this long, then one message tries it … */
const REST_SECONDS = 5;
/** … and who waits for it comes back the later, the longer it fails: a backlog that goes round costs us, too. */
const LONGEST_WAIT_SECONDS = 60;

/** E-mail by SMTP. An address that the server refuses is final; a server that fails is tried again, but not hammered. */
@Injectable()
export class EmailChannel extends ReminderChannel implements OnApplicationShutdown {
  readonly name = 'EMAIL';
  /** No more than there are connections: what waited for one would go out however long ago it was withdrawn. */
  override readonly concurrency = CONNECTIONS;
  private readonly from: string | undefined;
  private readonly transport: Transporter | undefined;
  private readonly circuit: CircuitBreaker<[Mail], SentMessageInfo> | undefined;
  private failingSince: number | undefined;

  constructor(private readonly environment: Environment) {
    super();
    const { SMTP_URL: url, MAIL_FROM: from } = readVariables(variables, environment.given);
    if (url === undefined) return;
    requireTls(environment, 'SMTP_URL', smtpDestination(url));
    const transport = createTransport({
      url,
      pool: true,
      maxConnections: CONNECTIONS,
      maxRequeues: REPEATS,
      ...TIMEOUTS,
    });
    this.from = from;
    this.transport = transport;
    this.circuit = new CircuitBreaker((mail: Mail) => transport.sendMail(mail), {
      timeout: false,
      volumeThreshold: 5,
      errorThresholdPercentage: 50,
      resetTimeout: REST_SECONDS * 1000,
      errorFilter: isAboutRecipient,
    });
    this.circuit.on('open', () => (this.failingSince ??= performance.now()));
    this.circuit.on('close', () => (this.failingSince = undefined));
  }

  get isConfigured(): boolean {
    return this.transport !== undefined;
  }

  async deliver(message: ReminderMessage): Promise<Receipt> {
    if (message.recipient.email === null) throw new UndeliverableError('no address');
    if (this.circuit === undefined || this.from === undefined) throw new UndeliverableError('not configured');
    try {
      const sent = await this.circuit.fire(
        mailOf(message, message.recipient.email, this.from, this.environment.publicUrl),
      );
      return { providerId: sent.messageId };
    } catch (error) {
      if (CircuitBreaker.isOurError(error as Error)) throw new NotNowError(this.wait());
      throw isFinal(error) ? new UndeliverableError('refused by the server') : error;
    }
  }

  private wait(): number {
    const failingSeconds = (performance.now() - (this.failingSince ?? performance.now())) / 1000;
    return Math.min(Math.max(Math.round(failingSeconds / 2), REST_SECONDS), LONGEST_WAIT_SECONDS);
  }

  onApplicationShutdown(): void {
    this.circuit?.shutdown();
    this.transport?.close();
  }
}

/**
 * Says nothing about the server, which serves others: a recipient who is refused, for now or for good, or a message
 * that is refused for good. 421 is the server that goes away, at whatever command (RFC 5321, section 3.8).
 */
function isAboutRecipient(error: unknown): boolean {
  const { command, responseCode } = error as { command?: string; responseCode?: number };
  return isFinal(error) || (command === 'RCPT TO' && responseCode !== undefined && responseCode !== 421);
}

/** The server has refused this recipient or this message for good (RFC 5321, section 4.2.1: 5yz). */
function isFinal(error: unknown): boolean {
  const { code, responseCode } = error as { code?: string; responseCode?: number };
  return (code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode !== undefined && responseCode >= 500;
}
