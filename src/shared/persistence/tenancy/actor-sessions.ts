import { LRUCache } from 'lru-cache';
import { computeCallerDigest, type Principal } from '../../access/index.js';
import type { Actor } from './actor.js';
import { CLINIC_VARIABLE, CLINIC_LOOKUP_MARKER, type SessionRow, type SessionVariables } from './session-variables.js';

/** Maximum number of people and links whose Clinic is cached. */
const MAX_REMEMBERED = 20_000;
/**
 * How long a Clinic is cached, in milliseconds. A record never changes its Clinic, but after a failover that lost the
 * last transactions, a new record can get the ID of a lost one.
 */
const REMEMBERED_MS = 600_000;

/**
 * Settings for metrics queries. They must not wait long for locks, or scan whole tables because planner statistics are
 * outdated.
 */
const MONITORING_LIMITS = {
  statement_timeout: '1500',
  lock_timeout: '500',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  jit: 'off',
};

/** Without this variable, which earlier releases do not set, the database shows no notices of erasures. */
const KNOWS_NOTICES = { 'app.knows_notices': 'on' };

const SERVICE = { role: 'scheduling_service' };

/**
 * Provides the session variables of the actors of one database. A token or link identifies a person, but row-level
 * security needs the person's Clinic. An actor's first transaction looks up the Clinic in the same statement that sets
 * the variables; later transactions use the cached Clinic.
 */
export class ActorSessions {
  private static readonly byConfiguration = new WeakMap<object, ActorSessions>();

  /** Cached by actor object, because all requests with the same cached token share one principal object. */
  private readonly fixed = new WeakMap<Actor, SessionVariables>();
  private readonly clinicIds = new LRUCache<string, string>({ max: MAX_REMEMBERED, ttl: REMEMBERED_MS });

  /**
   * @param configuration the configuration of MikroORM, which all EntityManagers and connections of a database share
   */
  static of(configuration: object): ActorSessions {
    let sessions = ActorSessions.byConfiguration.get(configuration);
    if (sessions === undefined) {
      sessions = new ActorSessions();
      ActorSessions.byConfiguration.set(configuration, sessions);
    }
    return sessions;
  }

  variablesOf(actor: Actor): SessionVariables {
    let fixed = this.fixed.get(actor);
    if (fixed === undefined) {
      fixed = toFixedVariables(actor);
      this.fixed.set(actor, fixed);
    }
    const caller = findCaller(actor);
    if (caller === undefined) return fixed;
    const clinicId = this.clinicIds.get(toKey(caller.kind, caller.id));
    // The database always needs the secret of a link, because the audit trail names the link's record.
    if (clinicId !== undefined && !caller.isLink) return { ...fixed, [CLINIC_VARIABLE]: clinicId };
    const { kind, id } = caller;
    return {
      ...fixed,
      'app.caller_kind': kind,
      'app.caller_id': id,
      [CLINIC_VARIABLE]: clinicId ?? CLINIC_LOOKUP_MARKER,
    };
  }

  /** The Clinic of a person or link, if a transaction has looked it up. */
  findClinicId(actor: Actor): number | undefined {
    const caller = findCaller(actor);
    const clinicId = caller && this.clinicIds.get(toKey(caller.kind, caller.id));
    return clinicId === undefined ? undefined : Number(clinicId);
  }

  /**
   * Caches the Clinic that a session statement has looked up. If the actor was not found, nothing is cached, because
   * the record may be created later.
   */
  remember(row: SessionRow): void {
    const clinicId = row[CLINIC_VARIABLE];
    if (clinicId) this.clinicIds.set(toKey(row['app.caller_kind']!, row['app.caller_id']!), clinicId);
  }
}

type Caller = { kind: string; id: string; isLink: boolean };

/**
 * Returns the values with which the database looks up the actor's Clinic. Returns undefined if the actor contains the
 * Clinic or has none.
 */
function findCaller(actor: Actor): Caller | undefined {
  switch (actor.role) {
    case 'CARE_PROVIDER':
      return { kind: actor.role, id: String(actor.caregiverId), isLink: false };
    case 'CLIENT':
      return { kind: actor.role, id: String(actor.clientId), isLink: false };
    case 'CALENDAR_LINK':
    case 'OPT_OUT_LINK':
      return { kind: actor.role, id: actor.secretHash, isLink: true };
    default:
      return undefined;
  }
}

function toKey(kind: string, id: string): string {
  return `${kind} ${id}`;
}

/** In PostgreSQL, `role` is a setting like any other, so one statement can set it together with the variables. */
function toFixedVariables(actor: Actor): SessionVariables {
  switch (actor.role) {
    case 'ADMIN':
      return { role: 'scheduling_admin', ...principalVariables(actor) };
    case 'REMINDERS':
      return {
        role: 'scheduling_reminders',
        ...KNOWS_NOTICES,
        ...(actor.clinicId !== undefined && { [CLINIC_VARIABLE]: String(actor.clinicId) }),
      };
    case 'MAINTENANCE':
      return { role: 'scheduling_maintenance' };
    case 'AUDIT':
      return { role: 'scheduling_audit' };
    case 'SYSTEM':
      return { role: 'scheduling_system' };
    case 'MONITORING':
      return { role: 'scheduling_monitoring', ...MONITORING_LIMITS };
    case 'CLINIC':
      return { ...SERVICE, ...principalVariables(actor), [CLINIC_VARIABLE]: String(actor.clinicId) };
    case 'CARE_PROVIDER':
    case 'CLIENT':
      return { ...SERVICE, ...principalVariables(actor) };
    case 'CALENDAR_LINK':
    case 'OPT_OUT_LINK':
    case 'NOBODY':
      return SERVICE;
  }
}

/** The variables that identify the token's subject. Several subjects can have the same role for the same record. */
function principalVariables(principal: Principal): SessionVariables {
  return { 'app.caller': computeCallerDigest(principal) };
}
