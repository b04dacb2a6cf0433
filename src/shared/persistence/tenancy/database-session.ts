import type { EntityManager } from '@mikro-orm/core';
import { computeCallerDigest, getRecordId, type Principal } from '../../access/index.js';
import type { AnyEntityManager } from './tenant-entity-manager.js';

/**
 * The actor of a transaction, which determines the transaction's database role and session variables. The login role
 * can access only a few tables without tenant data, so a transaction must first set another role (migration
 * "isolation").
 */
export type Actor =
  | Principal
  /** The holder of a calendar link, identified by the digest of its secret. */
  | { role: 'CALENDAR_LINK'; secretHash: string }
  /** The holder of an opt-out link from an e-mail. */
  | { role: 'OPT_OUT_LINK'; optOutToken: string }
  /** Reminder dispatch across all Clinics. */
  | { role: 'REMINDERS' }
  /** Deletion of expired rows across all Clinics. */
  | { role: 'MAINTENANCE' }
  /** Sealing and verification of the audit trail across all Clinics. */
  | { role: 'AUDIT' }
  /** Changes made by the service itself across all Clinics: recomputes instants when time zone data changes. */
  | { role: 'SYSTEM' }
  /** Metrics: row counts and ages across all Clinics, without personal data. */
  | { role: 'MONITORING' }
  /** A caller without a token. */
  | { role: 'NOBODY' };

type DatabaseSession = { variables: Record<string, string> };

/** Cached by actor object, because all requests with the same cached token share one principal object. */
const sessions = new WeakMap<Actor, DatabaseSession>();

/** Returns an actor's session variables in the form that `em.fork({ session })` expects. */
export function toDatabaseSession(actor: Actor): DatabaseSession {
  const cached = sessions.get(actor);
  if (cached !== undefined) return cached;
  const session = { variables: toVariables(actor) };
  sessions.set(actor, session);
  return session;
}

/** Forks the EntityManager. The fork's transactions act as the given actor. */
export function forkForActor<Em extends AnyEntityManager>(em: Em, actor: Actor): Em {
  return (em as EntityManager).fork({ session: toDatabaseSession(actor) }) as Em;
}

/** A metrics scrape must not wait long for locks, or scan whole tables because planner statistics are outdated. */
const MONITORING_LIMITS = {
  statement_timeout: '1500',
  lock_timeout: '500',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  jit: 'off',
};

/** In PostgreSQL, `role` is a setting like any other, so one statement can set it together with the variables. */
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
