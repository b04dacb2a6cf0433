import { channel } from 'node:diagnostics_channel';
import type { Writable } from 'node:stream';
import { findRowObserver, isDeferred } from './deferred-statement.js';
import { MultiHostClient } from './multi-host-client.js';
import { findServerUse, type ServerUse } from './server-use.js';
import { SESSION_STATEMENT_PATTERN } from '../tenancy/session-variables.js';

/**
 * Maximum length of a statement text that is prepared. Longer texts are rare, and prepared statements use memory in
 * both the service and PostgreSQL.
 */
const MAX_PREPARED_TEXT_LENGTH = 8_192;
/** Prepared statements per connection. Further texts are parsed on each use until the connection is replaced. */
const MAX_PREPARED_STATEMENTS = 500;

/**
 * How long PostgreSQL may use the plans of a connection, in milliseconds. It plans a prepared statement only a few times,
 * and keeps the last plan until the statistics of a table change. A plan that was made for an almost empty table reads
 * the whole table, so that requests would fail after an import until autovacuum has analysed the table.
 */
export const MAX_PLAN_AGE_MS = 10_000;

/**
 * How long the rollback of a transaction on a distributed database may take, in milliseconds. PostgreSQL waits without
 * limit while it cancels a statement on a server that is frozen.
 */
const ROLLBACK_TIMEOUT_MS = 2_000;

const BEGIN_STATEMENT = /^(begin|start transaction)\b/;

type Results = { rows: Readonly<Record<string, string>>[] }[];

const EMPTY_RESULT = { command: '', rowCount: 0, rows: [] };

/** SQLSTATE in_failed_sql_transaction: an earlier statement in the transaction has failed. */
const FAILED_TRANSACTION = '25P02';

/**
 * Publishes errors of deferred statements if the transaction was rolled back before an awaited statement could report
 * them. The tests fail on such errors.
 */
export const unobservedFailureChannel = channel('scheduling:unobserved-deferred-failure');

/**
 * Saves round trips: sends BEGIN, the session variables and deferred statements together with the next awaited
 * statement, without waiting for their results. Prepares each statement text once. Requires pg's `pipeline` option.
 */
export class PipelinedClient extends MultiHostClient {
  /** A BEGIN that has not been sent yet, because the session variables usually follow and go into the same message. */
  private pendingBegin = '';
  private isInTransaction = false;
  private deferredResults: Promise<unknown>[] = [];
  /** The rows that the current statement or transaction uses; undefined if the database is not distributed. */
  serverUse: ServerUse | undefined;
  private planningSince = performance.now();
  private readonly preparedNames = new Map<string, string>();
  /** Includes names that were forgotten. */
  private usedNames = 0;

  override query(...parameters: unknown[]): never {
    const [text, values] = parameters;
    // The ORM calls `query(text, values)`. Other forms come from pg itself and are passed on unchanged.
    if (typeof text !== 'string' || parameters.length > 2) return this.queryClient(...parameters) as never;
    return this.queryText(text, values) as never;
  }

  private queryText(text: string, values: unknown): Promise<unknown> {
    if (!this.isInTransaction) {
      this.discardOldPlans();
      this.serverUse = undefined;
    }
    this.serverUse = findServerUse(values) ?? this.serverUse;
    if (BEGIN_STATEMENT.test(text)) {
      this.isInTransaction = true;
      this.pendingBegin = `${text}; `;
      return Promise.resolve(EMPTY_RESULT);
    }
    if (this.pendingBegin !== '') {
      const begin = this.pendingBegin;
      this.pendingBegin = '';
      if (SESSION_STATEMENT_PATTERN.test(text)) return this.sendSession(begin + text, values);
      void this.sendDeferred(begin);
    }
    if (!isDeferred(values)) return this.sendAwaited(text, values);
    if (!this.isInTransaction) return Promise.reject(new Error('A deferred statement requires a transaction.'));
    return this.sendDeferred(text, values);
  }

  /** Makes PostgreSQL plan all statements for the current sizes of the tables when they are next used. */
  private discardOldPlans(): void {
    const now = performance.now();
    if (now - this.planningSince < MAX_PLAN_AGE_MS) return;
    this.planningSince = now;
    void this.sendDeferred('discard plans');
  }

  /**
   * Sends BEGIN together with the statement that sets the session variables. Each of the two statements has its own
   * result.
   */
  protected sendSession(text: string, values: unknown): Promise<unknown> {
    const observer = findRowObserver(values);
    return this.sendDeferred(text, undefined, observer && ((results) => observer((results as Results)[1]!.rows[0]!)));
  }

  private sendDeferred(text: string, values?: unknown, observe?: (result: unknown) => void): Promise<unknown> {
    if (this.deferredResults.length === 0) this.stream.cork();
    const result = this.send(text, values);
    // The next awaited statement reports a failure. Without a handler here, the rejection would be unhandled.
    (observe === undefined ? result : result.then(observe)).catch(() => undefined);
    this.deferredResults.push(result);
    return Promise.resolve(EMPTY_RESULT);
  }

  /**
   * Sends a statement without waiting for its result, like a deferred one. If `check` throws an error, the next awaited
   * statement rejects with it.
   */
  protected sendChecked(text: string, check: (result: unknown) => void): void {
    if (this.deferredResults.length === 0) this.stream.cork();
    const checked = this.send(text, undefined).then(check);
    checked.catch(() => undefined);
    this.deferredResults.push(checked);
  }

  /**
   * Sends a statement and waits for its result and those of all deferred statements. Rejects with the first failure,
   * because later failures are its consequences. A rollback, also to a savepoint, succeeds in spite of them.
   */
  private async sendAwaited(text: string, values: unknown): Promise<unknown> {
    const deferredResults = this.deferredResults;
    this.deferredResults = [];
    if (text === 'commit' || text === 'rollback') this.isInTransaction = false;
    const result = this.send(text, values);
    if (text === 'rollback' && this.serverUse !== undefined) this.closeUnlessSettled(result);
    if (deferredResults.length === 0) return result;
    this.stream.uncork();
    if (text.startsWith('rollback')) {
      void publishFailures(deferredResults);
      return result;
    }
    return (await Promise.all([...deferredResults, result])).at(-1);
  }

  private closeUnlessSettled(result: Promise<unknown>): void {
    const timer = setTimeout(() => this.stream.destroy(), ROLLBACK_TIMEOUT_MS);
    const onSettled = () => {
      clearTimeout(timer);
    };
    result.then(onSettled, onSettled);
  }

  /** Sends a statement to the server. All statements of the ORM pass through this method, including deferred ones. */
  protected send(text: string, values: unknown): Promise<unknown> {
    if (!Array.isArray(values) || values.length === 0) return this.queryClient(text);
    const isFirstUse = !this.preparedNames.has(text);
    const name = this.findStatementName(text);
    if (name === undefined) return this.queryClient({ text, values });
    const result = this.queryClient({ name, text, values });
    if (isFirstUse) this.forgetNameIfSkipped(text, result);
    return result;
  }

  private get stream(): Writable {
    return (this as unknown as { connection: { stream: Writable } }).connection.stream;
  }

  private queryClient(...parameters: unknown[]): Promise<unknown> {
    return (super.query as (...parameters: unknown[]) => Promise<unknown>).call(this, ...parameters);
  }

  private findStatementName(text: string): string | undefined {
    const known = this.preparedNames.get(text);
    if (known !== undefined) return known;
    if (text.length > MAX_PREPARED_TEXT_LENGTH || this.usedNames >= MAX_PREPARED_STATEMENTS) return undefined;
    this.usedNames += 1;
    const name = `s${this.usedNames}`;
    this.preparedNames.set(text, name);
    return name;
  }

  /**
   * Gives the statement another name at its next use if it was skipped because its transaction had failed. PostgreSQL has not
   * prepared it then, but PgBouncer knows the name and closes the connection if it is prepared again.
   */
  private forgetNameIfSkipped(text: string, result: Promise<unknown>): void {
    result.catch((error: unknown) => {
      if ((error as { code?: string }).code === FAILED_TRANSACTION) this.preparedNames.delete(text);
    });
  }
}

/**
 * Publishes failures of deferred statements that no awaited statement has reported because of a rollback. Ignores
 * connection failures.
 */
async function publishFailures(results: readonly Promise<unknown>[]): Promise<void> {
  for (const result of await Promise.allSettled(results)) {
    if (result.status === 'fulfilled') continue;
    const { code, severity } = result.reason as { code?: string; severity?: string };
    if (severity === 'ERROR' && code !== FAILED_TRANSACTION) unobservedFailureChannel.publish(result.reason);
  }
}
