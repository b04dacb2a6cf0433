import { FlushMode, IsolationLevel, RequestContext, type EntityManager } from '@mikro-orm/core';
import { TransactionTooLongError } from '../../errors/index.js';
import type { Actor } from '../tenancy/actor.js';
import type { LogPosition } from '../replica/log-position.js';
import { toReplicaSession } from '../replica/replica-read.js';
import { toDatabaseSession } from '../tenancy/database-session.js';
import type { AnyEntityManager } from '../tenancy/tenant-entity-manager.js';
import type { ServiceEntityManager } from './service-entity-manager.js';

/**
 * The actor of a request, whether the request only reads, and the position that the replica must have reached to serve
 * it.
 */
type RequestTransactionScope = { actor: Actor; isRead: boolean; position?: LogPosition };

/** Functions that run within a request's transaction, in addition to the services. */
type RequestTransactionHooks<Answer> = {
  /** Runs directly after BEGIN. An error ends the request before any service has read or written data. */
  afterBegin?: () => Promise<void>;
  /** Runs when the response is known, if the transaction has begun. */
  beforeCommit?: (answer: Answer) => Promise<unknown>;
};

/**
 * Maximum time from BEGIN to COMMIT. A synchronisation reads changes from some time before its sync token, because a
 * change becomes visible only at COMMIT. This overlap (`SYNC_OVERLAP_SECONDS`) must be longer than any transaction.
 */
export const MAX_TRANSACTION_MS = 90_000;

/**
 * The transaction of a request, with the caller as its actor. It begins when the first service needs it, because many
 * requests are rejected before that. It commits when the response is known, so that it includes the idempotency key and
 * the audit entry.
 */
export class RequestTransaction {
  private whenBegun: Promise<void> | undefined;
  private begunAt = 0;

  private constructor(
    private readonly em: EntityManager,
    readonly isRead: boolean,
    /** The position that the replica must have reached; undefined if the transaction runs on the primary. */
    readonly position: LogPosition | undefined,
    private readonly afterBegin: () => Promise<void>,
  ) {}

  /** Runs a request. The services that the request calls join its transaction. */
  static run<Answer>(
    em: EntityManager,
    { actor, isRead, position }: RequestTransactionScope,
    handle: () => Promise<Answer>,
    { afterBegin = async () => undefined, beforeCommit = async () => undefined }: RequestTransactionHooks<Answer> = {},
  ): Promise<Answer> {
    return RequestContext.create(
      em,
      async () => {
        const context = RequestContext.getEntityManager() as unknown as ServiceEntityManager;
        const transaction = new RequestTransaction(context, isRead, position, afterBegin);
        context.request = transaction;
        try {
          const answer = await handle();
          await transaction.commit(() => beforeCommit(answer));
          return answer;
        } catch (error) {
          await transaction.rollback();
          throw error;
        }
      },
      {
        session: position === undefined ? toDatabaseSession(em, actor) : toReplicaSession(em, actor, position),
        ...(isRead && { flushMode: FlushMode.COMMIT }),
      },
    );
  }

  /** Begins the transaction if it has not already begun. */
  begin(): Promise<void> {
    this.whenBegun ??= this.beginOnce();
    return this.whenBegun;
  }

  private async beginOnce(): Promise<void> {
    this.begunAt = performance.now();
    // All statements of a read-only request see the same snapshot.
    const snapshot = { isolationLevel: IsolationLevel.REPEATABLE_READ };
    if (this.position === undefined) await this.em.begin(this.isRead ? snapshot : {});
    else await this.em.begin({ ...snapshot, readOnly: true });
    await this.afterBegin();
  }

  private async commit(beforeCommit: () => Promise<unknown>): Promise<void> {
    if (this.whenBegun === undefined) return;
    if (!this.isRead) await this.em.flush();
    // Entities do not change after this point, and comparing them again at commit would cost more than the finds did.
    this.em.clear();
    await beforeCommit();
    this.assertNotTooLong();
    await this.em.commit();
  }

  /** @throws TransactionTooLongError if the transaction writes and has lasted too long to be committed */
  assertNotTooLong(): void {
    if (!this.isRead && performance.now() - this.begunAt > MAX_TRANSACTION_MS) throw new TransactionTooLongError();
  }

  private async rollback(): Promise<void> {
    // If BEGIN failed, there is nothing to roll back, and `run` rethrows the error.
    await this.whenBegun?.catch(() => undefined);
    if (this.em.isInTransaction()) await this.em.rollback().catch(() => undefined);
  }
}

/**
 * Called between the parts of long work, so that work in vain ends early.
 *
 * @throws TransactionTooLongError if the transaction of the request has lasted too long to be committed
 */
export function assertTransactionNotTooLong(em: AnyEntityManager): void {
  (em as ServiceEntityManager).getContext(false).request?.assertNotTooLong();
}
