import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { findFreePort } from '../process/service-process.js';

/** What the server does with those who come; `only`: to these recipients alone, all others are served. */
export type SmtpMode =
  | { kind: 'ok' }
  /** The port is closed, and all connections are cut. */
  | { kind: 'down' }
  /** Whoever connects is hung up on, and counted. */
  | { kind: 'hangUp' }
  /** The answer to RCPT takes so long. */
  | { kind: 'slow'; milliseconds: number; only?: RegExp }
  /** Refused, for now (4yz) or for good (5yz). */
  | { kind: 'refuse'; code: number; at: 'RCPT' | 'DATA'; only?: RegExp }
  /** The mail is received, and the connection cut before the sender is told. */
  | { kind: 'dropAfterData' };

export type ReceivedMail = {
  messageId: string;
  recipient: string;
  subject: string;
  /** When the sender began with it, and when the last of it was received; of `performance.now()`. */
  startedAt: number;
  receivedAt: number;
  raw: string;
  /** In which mode of the server it came. */
  mode: SmtpMode['kind'];
};

type Connections = Set<{ session: SMTPServerSession; _socket: Socket }>;

/** A real SMTP server that keeps what it receives, and fails as it is told. */
export class TestSmtpServer {
  readonly mails: ReceivedMail[] = [];
  /** Connections that were made, and RCPT commands that came, since the start. */
  connections = 0;
  recipientCommands = 0;
  private mode: SmtpMode = { kind: 'ok' };
  private server: SMTPServer | undefined;
  /** Who waits for a slow answer; a change of mode ends the wait. */
  private modeChange = new AbortController();
  private readonly startedAt = new Map<string, number>();

  private constructor(private readonly port: number) {}

  static async start(): Promise<TestSmtpServer> {
    const smtp = new TestSmtpServer(await findFreePort());
    await smtp.listen();
    return smtp;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  /** The variables with which the service sends its mails here. */
  get variables(): { SMTP_URL: string; MAIL_FROM: string } {
    return { SMTP_URL: this.url, MAIL_FROM: 'Clinic <no-reply@care.example.org>' };
  }

  async setMode(mode: SmtpMode): Promise<void> {
    this.mode = mode;
    const { modeChange } = this;
    this.modeChange = new AbortController();
    modeChange.abort();
    if (mode.kind === 'down') await this.stop();
    else if (this.server === undefined) await this.listen();
  }

  async stop(): Promise<void> {
    const { server } = this;
    this.modeChange.abort();
    if (server === undefined) return;
    this.server = undefined;
    const closed = new Promise<void>((resolve) => server.close(resolve));
    for (const { _socket: socket } of connectionsOf(server)) socket.destroy();
    await closed;
  }

  private async listen(): Promise<void> {
    const server = new SMTPServer({
      disabledCommands: ['AUTH', 'STARTTLS'],
      disableReverseLookup: true,
      logger: false,
      onMailFrom: (_address, session, answer) => {
        this.startedAt.set(session.id, performance.now());
        answer();
      },
      onRcptTo: ({ address }, _session, answer) => {
        this.recipientCommands += 1;
        void this.onRecipient(address).then((error) => answer(error));
      },
      onData: (stream, session, answer) => void this.receive(stream, session).then(answer, answer),
    });
    // Of connections that are cut.
    server.on('error', () => undefined);
    server.server.prependListener('connection', (socket) => {
      this.connections += 1;
      if (this.mode.kind === 'hangUp') socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.server = server;
  }

  private async onRecipient(address: string): Promise<Error | undefined> {
    const { mode } = this;
    if (mode.kind === 'slow' && isMeant(mode, address)) {
      await delay(mode.milliseconds, undefined, { signal: this.modeChange.signal }).catch(() => undefined);
    }
    return mode.kind === 'refuse' && mode.at === 'RCPT' && isMeant(mode, address)
      ? refusal(mode.code, address)
      : undefined;
  }

  private async receive(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<Error | undefined> {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    const { mode } = this;
    const recipient = session.envelope.rcptTo[0]!.address;
    if (mode.kind === 'refuse' && mode.at === 'DATA' && isMeant(mode, recipient)) return refusal(mode.code, recipient);
    const raw = Buffer.concat(chunks).toString();
    this.mails.push({
      messageId: headerOf(raw, 'Message-ID').replace(/^<(.*)@[^@]*>$/, '$1'),
      recipient,
      subject: headerOf(raw, 'Subject'),
      startedAt: this.startedAt.get(session.id)!,
      receivedAt: performance.now(),
      raw,
      mode: mode.kind,
    });
    if (mode.kind === 'dropAfterData') {
      for (const { session: own, _socket: socket } of connectionsOf(this.server)) {
        if (own.id === session.id) socket.destroy();
      }
    }
    return undefined;
  }
}

function isMeant({ only }: { only?: RegExp }, address: string): boolean {
  return only?.test(address) ?? true;
}

/** Says whom it refuses, as servers do. */
function refusal(responseCode: number, address: string): Error {
  return Object.assign(new Error(`${responseCode < 500 ? 'Not now' : 'Never'}: <${address}>`), { responseCode });
}

function connectionsOf(server: SMTPServer | undefined): Connections {
  return (server as unknown as { connections: Connections } | undefined)?.connections ?? new Set();
}

function headerOf(raw: string, name: string): string {
  const head = raw.slice(0, raw.indexOf('\r\n\r\n')).replaceAll(/\r\n[ \t]+/g, ' ');
  return new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1] ?? '';
}
