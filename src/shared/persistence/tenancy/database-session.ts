import type { EntityManager } from '@mikro-orm/core';
import { computeCallerDigest, getRecordId, type Principal } from '../../access/index.js';
import type { AnyEntityManager } from './tenant-entity-manager.js';

/**
 * The actor of a transaction, from which its database role and session variables follow. The login role has no
 * privileges: a transaction must set a role before it can read or write (migration "isolation").
 */
export type Actor =
  | Principal
  /** The holder of a calendar link, identified by the digest of its secret. */
  | { role: 'CALENDAR_LINK'; secretHash: string }
  /** The holder of the opt-out link of an e-mail. */
  | { role: 'OPT_OUT_LINK'; optOutToken: string }
  /** The dispatch of reminders, for all Clinics. */
  | { role: 'REMINDERS' }
  /** Deletion of expired rows, for all Clinics. */
  | { role: 'MAINTENANCE' }
  /** Sealing and verification of the audit trail, for all Clinics. */
  | { role: 'AUDIT' }
  /** Changes by the service itself, for all Clinics: instants are recomputed when time zone data changes. */
  | { role: 'SYSTEM' }
  /** Metrics: counts and ages of rows of all Clinics, without ids and personal data. */
  | { role: 'MONITORING' }
  /** A caller without a token. */
  | { role: 'NOBODY' };

type DatabaseSession = { variables: Record<string, string> };

/** Sessions by actor object: the principal of a cached token is the same object in many requests. */
const sessions = new WeakMap<Actor, DatabaseSession>();

/** Returns the session variables of an actor, as `em.fork({ session })` takes them. */
export function toDatabaseSession(actor: Actor): DatabaseSession {
  const cached = sessions.get(actor);
  if (cached !== undefined) return cached;
  const session = { variables: toVariables(actor) };
  sessions.set(actor, session);
  return session;
}

/** Forks the EntityManager; the transactions of the fork act as the given actor. */
export function forkForActor<Em extends AnyEntityManager>(em: Em, actor: Actor): Em {
  return (em as EntityManager).fork({ session: toDatabaseSession(actor) }) as Em;
}

/** A scrape of metrics must not wait for locks, nor scan a table because the planner's statistics are out of date. */
const MONITORING_LIMITS = {
  statement_timeout: '1500',
  lock_timeout: '500',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  jit: 'off',
};

/** `role` is a setting like the others in PostgreSQL, so that one statement sets them all. */
function toVariables(actor: Actor): Record<string, string> {
  switch (actor.role) {
    case 'ADMIN':
      return { role: 'scheduling_admin', ...principalVariables(actor) };
    case 'REMINDERS':
      return { role: 'scheduling_reminders' };
    case 'MAINTENANCE':
      return { role: 'scheduling_maintenance' };
    case 'AUDIT':
      return { role: 'scheduling_audit' };
    case 'SYSTEM':
      return { role: 'scheduling_system' };
    case 'MONITORING':
      return { role: 'scheduling_monitoring', ...MONITORING_LIMITS };
    case 'NOBODY':
      return serviceVariables(actor.role, '');
    case 'CLINIC':
    case 'CARE_PROVIDER':
    case 'CLIENT':
      return { ...serviceVariables(actor.role, String(getRecordId(actor))), ...principalVariables(actor) };
    case 'CALENDAR_LINK':
      return serviceVariables(actor.role, actor.secretHash);
    case 'OPT_OUT_LINK':
      return serviceVariables(actor.role, actor.optOutToken);
  }
}

/** Identifies the token's subject: several subjects can have the same role for the same record. */
function principalVariables(principal: Principal): Record<string, string> {
  return { 'app.caller': computeCallerDigest(principal) };
}

function serviceVariables(kind: string, id: string): Record<string, string> {
  return { role: 'scheduling_service', 'app.caller_kind': kind, 'app.caller_id': id };
}
