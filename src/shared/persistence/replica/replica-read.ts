import { RequestContext, type EntityManager } from '@mikro-orm/core';
import type { Actor } from '../tenancy/actor.js';
import { toDatabaseSession } from '../tenancy/database-session.js';
import type { ServiceEntityManager } from '../entity-manager/service-entity-manager.js';
import { REQUIRED_POSITION_KEY } from '../tenancy/session-variables.js';
import type { LogPosition } from './log-position.js';

/** Runs work in a separate short transaction, after the transaction of the request. */
export type RunInTransaction = <T>(work: (em: EntityManager) => Promise<T>) => Promise<T>;

/** Returns an actor's session variables for a transaction on the replica, including the required position. */
export function toReplicaSession(replica: EntityManager, actor: Actor, required: LogPosition) {
  const { variables } = toDatabaseSession(replica, actor);
  return { variables: { ...variables, [REQUIRED_POSITION_KEY]: String(required) } };
}

/**
 * Returns a function that runs short transactions after the current request, for a response that is read in parts. They
 * run on the same server as the request. If a transaction fails on the replica, it is repeated on the primary.
 */
export function createStreamingTransactionRunner(em: EntityManager, actor: Actor): RunInTransaction {
  const position = (RequestContext.getEntityManager() as ServiceEntityManager | undefined)?.request?.position;
  const fork = (from: EntityManager, session: { variables: Record<string, string> }) =>
    from.fork({ session, disableContextResolution: true });
  const onPrimary: RunInTransaction = (work) => fork(em, toDatabaseSession(em, actor)).transactional(work);
  if (position === undefined) return onPrimary;
  const replica = RequestContext.getEntityManager()!;
  return async (work) => {
    try {
      return await fork(replica, toReplicaSession(replica, actor, position)).transactional(work, { readOnly: true });
    } catch {
      return onPrimary(work);
    }
  };
}
