import { DATABASE_LOGINS } from '../tenancy/logins.js';
import { SHARED_LOGIN_ROLE } from '../tenancy/service-login.js';
import { LogPosition } from './log-position.js';

/**
 * SQL that reads the state of a server. The timeline comes from the control file, which a replica updates some time
 * after its primary was replaced. Until then, the replica does not count as having reached positions of the new
 * primary.
 */
export const REPLICA_STATE_STATEMENT = `
  select pg_is_in_recovery() as "isInRecovery", coalesce(pg_last_wal_replay_lsn(), '0/0')::text as "lsn",
    greatest((pg_control_checkpoint()).timeline_id, (pg_control_recovery()).min_recovery_end_timeline) as "timeline",
    current_user as "role"`;

/**
 * SQL that reads a position of the primary after all committed changes. It can also be after changes that are not
 * committed yet.
 */
export const PRIMARY_POSITION_STATEMENT = `
  select pg_current_wal_insert_lsn()::text as "lsn",
    ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int as "timeline"`;

/** A further column, which identifies a database: only its physical replicas have the same identifiers. */
const DATABASE_ID = `,
    (select system_identifier from pg_control_system()) || '/' ||
    (select oid from pg_database where datname = current_database()) as "databaseId"`;

/** The statements of an observation. Transactions need not identify the database. */
export const REPLICA_OBSERVATION_STATEMENT = REPLICA_STATE_STATEMENT + DATABASE_ID;
export const PRIMARY_OBSERVATION_STATEMENT = PRIMARY_POSITION_STATEMENT + DATABASE_ID;

export type PrimaryPositionRow = { lsn: string; timeline: number };
export type Identified<Row> = Row & { databaseId: string };
export type ReplicaStateRow = PrimaryPositionRow & { isInRecovery: boolean; role: string };

/** Reasons why the replica is not used. */
export type ReplicaFault = 'unreachable' | 'behind' | 'promoted' | 'wrong-login' | 'wrong-database';

/** Thrown if the replica cannot be used for a transaction, which the primary then serves. */
export class UnusableReplicaError extends Error {
  override readonly name = 'UnusableReplicaError';

  constructor(readonly fault: ReplicaFault) {
    super(`The replica is ${fault}.`);
  }
}

/**
 * Returns the position up to which a replica has replayed the write-ahead log.
 *
 * @throws UnusableReplicaError if the server is not a replica, or if the connection does not use the service's login
 * role and could therefore bypass row-level security
 */
export function toReplicaLogPosition({ isInRecovery, role, timeline, lsn }: ReplicaStateRow): LogPosition {
  if (role !== SHARED_LOGIN_ROLE && role !== DATABASE_LOGINS.requests.role)
    throw new UnusableReplicaError('wrong-login');
  if (!isInRecovery) throw new UnusableReplicaError('promoted');
  return LogPosition.fromServer(timeline, lsn);
}
