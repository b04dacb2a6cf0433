import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { findFreePort } from '../process/service-process.js';

/**
 * The behaviour of the server. If `only` is set, only recipients that match it are affected, and all others are
 * accepted.
 */
export type SmtpMode =
  | { kind: 'ok' }
  /** The port is closed, and all connections are reset. */
  | { kind: 'down' }
  /** New connections are counted and closed at once. */
  | { kind: 'hangUp' }
  /** Replies to RCPT are delayed. `isAlive`: their first lines are sent, so that the service does not give up. */
  | { kind: 'slow'; milliseconds: number; only?: RegExp; isAlive?: boolean }
  /** Recipients are refused, temporarily (4yz) or permanently (5yz). */
  | { kind: 'refuse'; code: number; at: 'RCPT' | 'DATA'; only?: RegExp }
  /** The e-mail is stored, and the connection is closed before the reply is sent. */
  | { kind: 'dropAfterData' };

export type ReceivedMail = {
  messageId: string;
  recipient: string;
  subject: string;
  /** The times of MAIL FROM and of the end of the data, in milliseconds of `performance.now()`. */
  startedAt: number;
  receivedAt: number;
  raw: string;
  /** The mode of the server when it received the e-mail. */
  mode: SmtpMode['kind'];
};

/** Time between the lines of a reply, less than the time after which the service gives up. */
const LINE_MS = 2_000;

type Connections = Set<{ session: SMTPServerSession; _socket: Socket }>;

/** An SMTP server that stores received e-mails and can simulate failures. */
export class TestSmtpServer {
  readonly mails: ReceivedMail[] = [];
  /** Numbers of connections and of RCPT commands since the server was started. */
  connections = 0;
  recipientCommands = 0;
  private mode: SmtpMode = { kind: 'ok' };
  private server: SMTPServer | undefined;
  /** Aborted when the mode changes, in order to end the delay of slow replies. */
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

  /** Environment variables that make the service send its e-mails to this server. */
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
    for (const { _socket: socket } of getConnections(server)) socket.destroy();
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
      onRcptTo: ({ address }, session, answer) => {
        this.recipientCommands += 1;
        void this.onRecipient(address, session).then((error) => answer(error));
      },
      onData: (stream, session, answer) => void this.receive(stream, session).then(answer, answer),
    });
    // Connections that are closed during a command cause errors, which are ignored.
    server.on('error', () => undefined);
    server.server.prependListener('connection', (socket) => {
      this.connections += 1;
      if (this.mode.kind === 'hangUp') socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.server = server;
  }

  private async onRecipient(address: string, session: SMTPServerSession): Promise<Error | undefined> {
    const { mode } = this;
    if (mode.kind === 'slow' && isAffected(mode, address)) {
      const lines = mode.isAlive
        ? setInterval(() => this.findSocket(session)?.write('250-Wait\r\n'), LINE_MS)
        : undefined;
      await delay(mode.milliseconds, undefined, { signal: this.modeChange.signal }).catch(() => undefined);
      clearInterval(lines);
    }
    return mode.kind === 'refuse' && mode.at === 'RCPT' && isAffected(mode, address)
      ? createRefusal(mode.code, address)
      : undefined;
  }

  private findSocket({ id }: SMTPServerSession): Socket | undefined {
    return [...getConnections(this.server)].find(({ session }) => session.id === id)?._socket;
  }

  private async receive(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<Error | undefined> {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    const { mode } = this;
    const recipient = session.envelope.rcptTo[0]!.address;
    if (mode.kind === 'refuse' && mode.at === 'DATA' && isAffected(mode, recipient))
      return createRefusal(mode.code, recipient);
    const raw = Buffer.concat(chunks).toString();
    this.mails.push({
      messageId: readHeader(raw, 'Message-ID').replace(/^<(.*)@[^@]*>$/, '$1'),
      recipient,
      subject: readHeader(raw, 'Subject'),
      startedAt: this.startedAt.get(session.id)!,
      receivedAt: performance.now(),
      raw,
      mode: mode.kind,
    });
    if (mode.kind === 'dropAfterData') {
      this.findSocket(session)?.destroy();
    }
    return undefined;
  }
}

function isAffected({ only }: { only?: RegExp }, address: string): boolean {
  return only?.test(address) ?? true;
}

/** Creates a refusal whose text contains the address, as in the replies of real servers. */
function createRefusal(responseCode: number, address: string): Error {
  return Object.assign(new Error(`${responseCode < 500 ? 'Not now' : 'Never'}: <${address}>`), { responseCode });
}

function getConnections(server: SMTPServer | undefined): Connections {
  return (server as unknown as { connections: Connections } | undefined)?.connections ?? new Set();
}

function readHeader(raw: string, name: string): string {
  const head = raw.slice(0, raw.indexOf('\r\n\r\n')).replaceAll(/\r\n[ \t]+/g, ' ');
  return new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1] ?? '';
}
