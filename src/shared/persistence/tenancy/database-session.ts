import type { EntityManager } from '@mikro-orm/core';
import { computeCallerDigest, getRecordId, type Principal } from '../../access/index.js';
import type { AnyEntityManager } from './tenant-entity-manager.js';

/**
 * As whom a transaction acts in the database. A transaction that does not say so may do nothing: the role that the
 * service logs in as has no rights of its own (migration "isolation").
 */
export type Actor =
  | Principal
  /** Whoever holds the secret of a calendar link, by its digest. */
  | { role: 'CALENDAR_LINK'; secretHash: string }
  /** Whoever holds the opt-out link of an e-mail. */
  | { role: 'OPT_OUT_LINK'; optOutToken: string }
  /** The dispatch of reminders, which serves all Clinics. */
  | { role: 'REMINDERS' }
  /** Clearing up what has expired, of all Clinics. */
  | { role: 'MAINTENANCE' }
  /** Whoever seals the audit trail and verifies it, of all Clinics. */
  | { role: 'AUDIT' }
  /** What the service itself changes of all Clinics: instants, when time zone data changes. */
  | { role: 'SYSTEM' }
  /** Metrics: counts and times of all Clinics, no ids and no personal data. */
  | { role: 'MONITORING' }
  /** Who has not said who they are. */
  | { role: 'NOBODY' };

type DatabaseSession = { variables: Record<string, string> };

/** Of actors that come again and again, as the callers of tokens do. */
const sessions = new WeakMap<Actor, DatabaseSession>();

/** The session of the database that goes with an actor: for the transactions of `em.fork({ session })`. */
export function toDatabaseSession(actor: Actor): DatabaseSession {
  const known = sessions.get(actor);
  if (known !== undefined) return known;
  const session = { variables: toVariables(actor) };
  sessions.set(actor, session);
  return session;
}

/** An EntityManager of its own, whose transactions act as the given actor. */
export function forkForActor<Em extends AnyEntityManager>(em: Em, actor: Actor): Em {
  return (em as EntityManager).fork({ session: toDatabaseSession(actor) }) as Em;
}

/** A scrape neither waits nor reads a table without an index: what PostgreSQL believes of a table may be out of date. */
const MONITORING_LIMITS = {
  statement_timeout: '1500',
  lock_timeout: '500',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  jit: 'off',
};

/** `role` is a variable like any other to PostgreSQL, so that one statement says all. */
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

/** What is the caller's alone, not that of all in the same role for the same record. */
function principalVariables(principal: Principal): Record<string, string> {
  return { 'app.caller': computeCallerDigest(principal) };
}

function serviceVariables(kind: string, id: string): Record<string, string> {
  return { role: 'scheduling_service', 'app.caller_kind': kind, 'app.caller_id': id };
}
