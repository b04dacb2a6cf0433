import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';

/** A statement with its parameter values. */
export type SentStatement = { text: string; values: (string | null)[] };

/** The traffic between a server and its database, including the notices of the database. */
export type DatabaseTraffic = { roundTrips: number; sent: SentStatement[]; notices: string[] };

/** Types of messages to which PostgreSQL responds with ReadyForQuery: a simple query (Q) or Sync (S). */
const ASKS = new Set(['Q', 'S']);
/** Connections of the queue poll for jobs independently of requests, so they are not counted. */
const BACKGROUND = 'reminder-queue';

/**
 * A proxy between a server and PostgreSQL that counts round trips and records statements, in the same way for every
 * variant. In protocol 3.0, a message has one byte for its type and four for its length; only the first message of a
 * connection has no type.
 */
export class DatabaseProxy {
  private traffic = silence();
  private readonly prepared = new Map<string, string>();

  private constructor(
    private readonly listener: Server,
    private readonly target: URL,
  ) {}

  static async open(databaseUrl: string): Promise<DatabaseProxy> {
    const listener = createServer();
    const wire = new DatabaseProxy(listener, new URL(databaseUrl));
    listener.on('connection', (client) => wire.join(client));
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    return wire;
  }

  /** The URL of the database through this proxy. */
  get url(): string {
    const { port } = this.listener.address() as AddressInfo;
    return Object.assign(new URL(this.target), { port: String(port) }).href;
  }

  /** Returns the traffic since the last call. */
  take(): DatabaseTraffic {
    const taken = this.traffic;
    this.traffic = silence();
    return taken;
  }

  close(): void {
    this.listener.close();
  }

  private join(client: Socket): void {
    const server = connect(Number(this.target.port), this.target.hostname);
    let [isBackground, unanswered] = [false, 0];
    const fromClient = new Messages(true, (type, body) => {
      if (type === 'startup') isBackground = body.includes(BACKGROUND);
      if (type === 'startup' || isBackground) return;
      this.noteStatement(type, body, client);
      if (!ASKS.has(type)) return;
      // Messages that are sent while a response is pending belong to the same round trip.
      if (unanswered === 0) this.traffic.roundTrips += 1;
      unanswered += 1;
    });
    const fromServer = new Messages(false, (type, body) => {
      if (isBackground) return;
      if (type === 'Z') unanswered = Math.max(0, unanswered - 1);
      if (type === 'N') this.traffic.notices.push(messageOf(body));
    });
    client.on('data', (chunk) => fromClient.read(chunk)).pipe(server);
    server.on('data', (chunk) => fromServer.read(chunk)).pipe(client);
    for (const socket of [client, server]) {
      socket.on('error', () => undefined);
      socket.on('close', () => [client, server].forEach((each) => each.destroy()));
    }
  }

  /** Records a simple query, a Parse message, or a Bind message for a prepared statement. */
  private noteStatement(type: string, body: Buffer, client: Socket): void {
    const strings = body.toString().split('\0');
    const nameOf = (name: string) => `${client.remotePort} ${name}`;
    if (type === 'Q') this.traffic.sent.push({ text: strings[0]!, values: [] });
    if (type === 'P') this.prepared.set(nameOf(strings[0]!), strings[1]!);
    if (type !== 'B') return;
    const text = this.prepared.get(nameOf(strings[1]!)) ?? '';
    this.traffic.sent.push({ text, values: valuesOf(body) });
  }
}

function silence(): DatabaseTraffic {
  return { roundTrips: 0, sent: [], notices: [] };
}

/**
 * Reads the values of a Bind message: after the names of portal and statement come the formats, then each value with
 * its length.
 */
function valuesOf(body: Buffer): (string | null)[] {
  let at = body.indexOf(0, body.indexOf(0) + 1) + 1;
  at += 2 + 2 * body.readInt16BE(at);
  const count = body.readInt16BE(at);
  at += 2;
  return Array.from({ length: count }, () => {
    const length = body.readInt32BE(at);
    const value = length < 0 ? null : body.toString('utf8', at + 4, at + 4 + length);
    at += 4 + Math.max(0, length);
    return value;
  });
}

/** Returns field M of a notice: its message. */
function messageOf(body: Buffer): string {
  const fields = body.toString().split('\0');
  return fields.find((field) => field.startsWith('M'))?.slice(1) ?? '';
}

/** Splits a stream into protocol messages. */
class Messages {
  private rest = Buffer.alloc(0);

  constructor(
    private beginsWithStartup: boolean,
    private readonly each: (type: string, body: Buffer) => void,
  ) {}

  read(chunk: Buffer): void {
    this.rest = Buffer.concat([this.rest, chunk]);
    for (;;) {
      const typeBytes = this.beginsWithStartup ? 0 : 1;
      if (this.rest.length < typeBytes + 4) return;
      const end = typeBytes + this.rest.readUInt32BE(typeBytes);
      if (this.rest.length < end) return;
      const type = this.beginsWithStartup ? 'startup' : String.fromCharCode(this.rest[0]!);
      this.each(type, this.rest.subarray(typeBytes + 4, end));
      this.beginsWithStartup = false;
      this.rest = this.rest.subarray(end);
    }
  }
}
