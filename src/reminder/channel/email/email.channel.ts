import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { createTransport, type SendMailOptions, type SentMessageInfo, type Transporter } from 'nodemailer';
import MailComposer from 'nodemailer/lib/mail-composer';
import { z } from 'zod';
import { declareVariables, Environment, readVariables, requireTls } from '../../../shared/config/env.js';
import { toSmtpDestination } from '../../../shared/config/transport-security.js';
import { ReminderChannel, UndeliverableError, type Receipt, type ReminderMessage } from '../channel.js';
import { Circuit, type Blame } from '../channel-circuit.js';
import { mailOf, type Mail } from './mail.js';

const variables = z
  .object(
    declareVariables('E-mail', {
      SMTP_URL: z
        .url({ protocol: /^smtps?$/, error: 'must be an smtp:// or smtps:// URL' })
        .optional()
        .describe('Mail server, `smtp://` or `smtps://`. Absent: no e-mail.'),
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
  .refine((given) => given.SMTP_URL === undefined || given.MAIL_FROM !== undefined, {
    path: ['MAIL_FROM'],
    error: 'must be set when SMTP_URL is',
  });

/** Of the server, in milliseconds: it is tried again soon enough. */
const TIMEOUTS = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 15_000 };
/** After so many messages a connection is replaced: servers that limit them allow 100 or more. */
const MESSAGES_PER_CONNECTION = 100;
/** The queue tries again, and the circuit counts each attempt: nothing beneath them repeats on its own. */
const REPEATS = 0;

/** E-mail by SMTP. An address that the server refuses is final; a server that fails is tried again, but not hammered. */
@Injectable()
export class EmailChannel extends ReminderChannel implements OnApplicationShutdown {
  readonly name = 'EMAIL';
  /** No more than there are connections: what waited for one would go out however long ago it was withdrawn. */
  override readonly concurrency: number;
  private readonly from: string | undefined;
  private readonly transport: Transporter | undefined;
  private readonly circuit: Circuit<Mail, SentMessageInfo> | undefined;

  constructor(private readonly environment: Environment) {
    super();
    const given = readVariables(variables, environment.rawVariables);
    const { SMTP_URL: url, SMTP_CONNECTIONS: connections } = given;
    this.concurrency = connections;
    if (url === undefined) return;
    requireTls(environment, 'SMTP_URL', toSmtpDestination(url));
    const transport = createTransport({
      url,
      pool: true,
      maxConnections: connections,
      maxMessages: MESSAGES_PER_CONNECTION,
      maxRequeues: REPEATS,
      ...TIMEOUTS,
    });
    this.from = given.MAIL_FROM;
    this.transport = transport;
    this.circuit = new Circuit(async (mail) => transport.sendMail(await inOnePiece(mail)), {
      volume: 5,
      threshold: 50,
      blame: blameOf,
    });
  }

  get isConfigured(): boolean {
    return this.transport !== undefined;
  }

  async deliver(message: ReminderMessage): Promise<Receipt> {
    if (message.recipient.email === null) throw new UndeliverableError('no address');
    if (this.circuit === undefined || this.from === undefined) throw new UndeliverableError('not configured');
    const { email } = message.recipient;
    try {
      const sent = await this.circuit.fire(email, mailOf(message, email, this.from, this.environment.publicUrl));
      return { providerId: sent.messageId };
    } catch (error) {
      throw blameOf(error) === 'MESSAGE' ? new UndeliverableError('refused by the server') : error;
    }
  }

  onApplicationShutdown(): void {
    this.circuit?.shutdown();
    this.transport?.close();
  }
}

/** Composed before it is sent: a stream would write each header and part to the connection by itself. */
async function inOnePiece(mail: Mail): Promise<SendMailOptions> {
  const { from, to, messageId } = mail;
  const composed = new MailComposer(mail).compile();
  return { envelope: { from, to }, messageId, raw: await composed.build() };
}

/**
 * 4yz is for now and 5yz for good (RFC 5321, section 4.2.1). What is said to MAIL FROM, or before it, is said of us and
 * to everybody: for good it cannot be meant. 421 is the server that goes away, at whatever command (section 3.8).
 */
function blameOf(error: unknown): Blame {
  const { code, command, responseCode } = error as { code?: string; command?: string; responseCode?: number };
  const isAboutMessage = code === 'EENVELOPE' || code === 'EMESSAGE';
  // An address that cannot be written, or a size that the server has said it does not take.
  if (isAboutMessage && responseCode === undefined) return 'MESSAGE';
  if (isAboutMessage && responseCode! >= 500 && command !== 'MAIL FROM') return 'MESSAGE';
  return command === 'RCPT TO' && responseCode !== undefined && responseCode !== 421 ? 'RECIPIENT' : 'SERVER';
}
