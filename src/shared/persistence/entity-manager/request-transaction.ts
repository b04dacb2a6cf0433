import { FlushMode, IsolationLevel, RequestContext, type EntityManager } from '@mikro-orm/core';
import { toDatabaseSession, type Actor } from '../tenancy/database-session.js';
import type { ServiceEntityManager } from './service-entity-manager.js';

/** What happens with every transaction of a request, beside what its services do. */
export type RequestHooks<Answer> = {
  /** Right after it has begun. What it throws ends the request before any service has done anything. */
  afterBegin?: () => Promise<void>;
  /** Once the answer is known. */
  beforeCommit?: (answer: Answer) => Promise<void>;
};

/**
 * The one transaction of a request, as the caller. It begins when the first service asks for it, as many a request
 * is refused before; it commits when the answer is known, so that what must be kept of the answer commits with it.
 */
export class RequestTransaction {
  private whenBegun: Promise<void> | undefined;

  private constructor(
    private readonly em: EntityManager,
    readonly isRead: boolean,
    private readonly afterBegin: () => Promise<void>,
  ) {}

  /** Runs a request within its transaction. */
  static run<Answer>(
    em: EntityManager,
    { actor, isRead }: { actor: Actor; isRead: boolean },
    handle: () => Promise<Answer>,
    { afterBegin = async () => undefined, beforeCommit = async () => undefined }: RequestHooks<Answer> = {},
  ): Promise<Answer> {
    return RequestContext.create(
      em,
      async () => {
        const context = RequestContext.getEntityManager() as unknown as ServiceEntityManager;
        const transaction = new RequestTransaction(context, isRead, afterBegin);
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
      { session: toDatabaseSession(actor), ...(isRead && { flushMode: FlushMode.COMMIT }) },
    );
  }

  /** Begins, where that has not been done. */
  begin(): Promise<void> {
    this.whenBegun ??= this.beginOnce();
    return this.whenBegun;
  }

  private async beginOnce(): Promise<void> {
    // A read sees one moment, in however many statements.
    await this.em.begin(this.isRead ? { isolationLevel: IsolationLevel.REPEATABLE_READ } : {});
    await this.afterBegin();
  }

  private async commit(beforeCommit: () => Promise<void>): Promise<void> {
    if (this.whenBegun === undefined) return;
    if (!this.isRead) await this.em.flush();
    // What was read and written is done with: looking at it again for changes would cost more than the look-up did.
    this.em.clear();
    await beforeCommit();
    await this.em.commit();
  }

  private async rollback(): Promise<void> {
    // A transaction that could not begin has nothing to take back, and why it could not is told already.
    await this.whenBegun?.catch(() => undefined);
    if (this.em.isInTransaction()) await this.em.rollback().catch(() => undefined);
  }
}
