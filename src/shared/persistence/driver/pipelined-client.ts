import type { Writable } from 'node:stream';
import { MultiHostClient } from './multi-host-client.js';
import { DEFERRED } from './deferred-statement.js';

/*
 * Fewer round trips to PostgreSQL, and less work for it, whatever asks: one place below the ORM. Creating a plan waits
 * for three answers instead of seven.
 */

/** Longer ones are bulk inserts, which differ in their number of rows: not worth the memory. */
const MAX_PREPARED_TEXT_LENGTH = 8_192;
/** Prepared statements of one connection; what comes later is parsed each time. Connections do not live for ever. */
const MAX_PREPARED_STATEMENTS = 500;

const BEGIN_STATEMENT = /^(begin|start transaction)\b/;
const SESSION_STATEMENT = /^select set_config\(/;

const EMPTY_RESULT = { command: '', rowCount: 0, rows: [] };

/**
 * Sends BEGIN, what a transaction says of itself, and what nobody needs the answer of (`DEFERRED`) together
 * with the next statement; prepares statements by their text. Needs the option `pipeline`.
 */
export class PipelinedClient extends MultiHostClient {
  /** How the transaction begins, until it is known what it says of itself. */
  private pendingBegin = '';
  private deferredResults: Promise<unknown>[] = [];
  private readonly preparedNames = new Map<string, string>();

  override query(...parameters: unknown[]): never {
    const [text, values] = parameters;
    // With a callback, or as an object, somebody else's statement: not one of a transaction.
    if (typeof text !== 'string' || parameters.length > 2) return this.queryClient(...parameters) as never;
    return this.queryText(text, values) as never;
  }

  private queryText(text: string, values: unknown): Promise<unknown> {
    if (BEGIN_STATEMENT.test(text)) {
      this.pendingBegin = `${text}; `;
      return Promise.resolve(EMPTY_RESULT);
    }
    if (this.pendingBegin !== '') {
      const opening = this.pendingBegin;
      this.pendingBegin = '';
      if (SESSION_STATEMENT.test(text)) return this.sendDeferred(opening + text);
      void this.sendDeferred(opening);
    }
    return text.startsWith(DEFERRED) ? this.sendDeferred(text, values) : this.sendAwaited(text, values);
  }

  private sendDeferred(text: string, values?: unknown): Promise<unknown> {
    if (this.deferredResults.length === 0) this.stream.cork();
    const answer = this.send(text, values);
    // Whoever sends the next one is told.
    answer.catch(() => undefined);
    this.deferredResults.push(answer);
    return Promise.resolve(EMPTY_RESULT);
  }

  /** The first that fails is why the others do. */
  private async sendAwaited(text: string, values: unknown): Promise<unknown> {
    const before = this.deferredResults;
    this.deferredResults = [];
    const answer = this.send(text, values);
    if (before.length === 0) return answer;
    this.stream.uncork();
    return (await Promise.all([...before, answer])).at(-1);
  }

  private send(text: string, values: unknown): Promise<unknown> {
    if (!Array.isArray(values) || values.length === 0) return this.queryClient(text);
    const name = this.findStatementName(text);
    return this.queryClient(name === undefined ? { text, values } : { name, text, values });
  }

  private get stream(): Writable {
    return (this as unknown as { connection: { stream: Writable } }).connection.stream;
  }

  private queryClient(...parameters: unknown[]): Promise<unknown> {
    return (super.query as (...given: unknown[]) => Promise<unknown>).call(this, ...parameters);
  }

  private findStatementName(text: string): string | undefined {
    const known = this.preparedNames.get(text);
    if (
      known !== undefined ||
      text.length > MAX_PREPARED_TEXT_LENGTH ||
      this.preparedNames.size >= MAX_PREPARED_STATEMENTS
    )
      return known;
    const name = `s${this.preparedNames.size + 1}`;
    this.preparedNames.set(text, name);
    return name;
  }
}
