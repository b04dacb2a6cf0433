import type { DatabaseEnvironment } from '../../config/env.js';

/** A part of the service that can have a database login of its own. */
export type LoginName = 'requests' | 'reminders' | 'audit' | 'jobs';

/** A login: its environment variable, its role, and the roles that its transactions take on. */
type DatabaseLogin = { variable: string; role: string; actsAs: readonly string[] };

/**
 * The logins with the privileges of one part of the service each (migration "logins"). A login can take on no role of
 * another, so a fault in one part of the service cannot use the privileges of the others.
 */
export const DATABASE_LOGINS: Readonly<Record<LoginName, DatabaseLogin>> = {
  requests: {
    variable: 'DATABASE_URL',
    role: 'scheduling_app_requests',
    // Prometheus reads the metrics with a request, so this login also takes on the role for monitoring.
    actsAs: ['scheduling_service', 'scheduling_admin', 'scheduling_monitoring'],
  },
  reminders: {
    variable: 'DATABASE_REMINDERS_URL',
    role: 'scheduling_app_reminders',
    actsAs: ['scheduling_reminders'],
  },
  audit: { variable: 'DATABASE_AUDIT_URL', role: 'scheduling_app_audit', actsAs: ['scheduling_audit'] },
  jobs: {
    variable: 'DATABASE_JOBS_URL',
    role: 'scheduling_app_jobs',
    actsAs: ['scheduling_system', 'scheduling_maintenance'],
  },
};

/**
 * The number of connections that one instance has for each login other than the one for requests. The queue has
 * connections of its own.
 */
export const LOGIN_POOL_SIZES = { reminders: 4, audit: 2, jobs: 2 } as const;

type PostgresqlEnvironment = Extract<DatabaseEnvironment, { kind: 'postgresql' }>;

/**
 * Returns the parts of the service that each login serves. The login for requests also serves the parts without a login
 * of their own. Returns undefined if one login with all privileges serves all parts.
 */
export function findPartsServedByLogins({ logins }: PostgresqlEnvironment): Map<LoginName, LoginName[]> | undefined {
  if (logins === undefined) return undefined;
  const ofRequests: LoginName[] = ['requests'];
  const served = new Map<LoginName, LoginName[]>([['requests', ofRequests]]);
  for (const name of ['reminders', 'audit', 'jobs'] as const) {
    if (logins[name] === undefined) ofRequests.push(name);
    else served.set(name, [name]);
  }
  return served;
}
