import type { Writable } from 'node:stream';
import { MultiHostClient } from './multi-host-client.js';
import { DEFERRED } from './deferred-statement.js';

/*
 * Fewer round trips to PostgreSQL, and less work for it, whatever asks: one place below the ORM. Creating a plan waits
 * for three answers instead of seven.
 */

/** Longer ones are bulk inserts, which differ in their number of rows: not worth the memory. */
const MAX_PREPARED_LENGTH = 8_192;
/** Prepared statements of one connection; what comes later is parsed each time. Connections do not live for ever. */
const MAX_PREPARED = 500;

const BEGINS = /^(begin|start transaction)\b/;
const SAYS_SESSION = /^select set_config\(/;

const NO_RESULT = { command: '', rowCount: 0, rows: [] };

/**
 * Sends BEGIN, what a transaction says of itself, and what nobody needs the answer of (`DEFERRED`) together
 * with the next statement; prepares statements by their text. Needs the option `pipeline`.
 */
export class PipelinedClient extends MultiHostClient {
  /** How the transaction begins, until it is known what it says of itself. */
  private opening = '';
  private unanswered: Promise<unknown>[] = [];
  private readonly prepared = new Map<string, string>();

  override query(...parameters: unknown[]): never {
    const [text, values] = parameters;
    // With a callback, or as an object, somebody else's statement: not one of a transaction.
    if (typeof text !== 'string' || parameters.length > 2) return this.ask(...parameters) as never;
    return this.queryText(text, values) as never;
  }

  private queryText(text: string, values: unknown): Promise<unknown> {
    if (BEGINS.test(text)) {
      this.opening = `${text}; `;
      return Promise.resolve(NO_RESULT);
    }
    if (this.opening !== '') {
      const opening = this.opening;
      this.opening = '';
      if (SAYS_SESSION.test(text)) return this.sendWithNext(opening + text);
      void this.sendWithNext(opening);
    }
    return text.startsWith(DEFERRED) ? this.sendWithNext(text, values) : this.sendWithThoseBefore(text, values);
  }

  private sendWithNext(text: string, values?: unknown): Promise<unknown> {
    if (this.unanswered.length === 0) this.stream.cork();
    const answer = this.send(text, values);
    // Whoever sends the next one is told.
    answer.catch(() => undefined);
    this.unanswered.push(answer);
    return Promise.resolve(NO_RESULT);
  }

  /** The first that fails is why the others do. */
  private async sendWithThoseBefore(text: string, values: unknown): Promise<unknown> {
    const before = this.unanswered;
    this.unanswered = [];
    const answer = this.send(text, values);
    if (before.length === 0) return answer;
    this.stream.uncork();
    return (await Promise.all([...before, answer])).at(-1);
  }

  private send(text: string, values: unknown): Promise<unknown> {
    if (!Array.isArray(values) || values.length === 0) return this.ask(text);
    const name = this.nameOf(text);
    return this.ask(name === undefined ? { text, values } : { name, text, values });
  }

  private get stream(): Writable {
    return (this as unknown as { connection: { stream: Writable } }).connection.stream;
  }

  private ask(...parameters: unknown[]): Promise<unknown> {
    return (super.query as (...given: unknown[]) => Promise<unknown>).call(this, ...parameters);
  }

  private nameOf(text: string): string | undefined {
    const known = this.prepared.get(text);
    if (known !== undefined || text.length > MAX_PREPARED_LENGTH || this.prepared.size >= MAX_PREPARED) return known;
    const name = `s${this.prepared.size + 1}`;
    this.prepared.set(text, name);
    return name;
  }
}
