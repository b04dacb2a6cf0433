import type { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { randomUUID } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { pino } from 'pino';
import type { DatabaseEnvironment } from '../../shared/config/env.js';
import { forkForActor, toCompiledQuery } from '../../shared/persistence/index.js';

/*
 * Audit entries for commands. They belong to no Clinic, and the actor is the operator's account in the operating
 * system.
 */

/** A command to be recorded in the audit trail. */
export type AuditedCommand = {
  /** The name of the npm script, with its subcommand if it has one. */
  name:
    | 'backup'
    | 'export-clinic'
    | 'id-range'
    | 'import-clinic'
    | 'migrate down'
    | 'restore'
    | 'rotate-keys'
    | 'token'
    | 'tzdata';
  access: 'READ' | 'WRITE';
  /** Kind and ID of each record that the command concerns, for example `clinic/5`. */
  records?: readonly string[];
  /** The Clinic whose audit trail gets the entry. By default, the entry belongs to no Clinic. */
  clinicId?: number;
};

/** Runs a PostgreSQL statement with the parameters `$1`, `$2` and so on. */
type RunStatement = (text: string, values: unknown[]) => Promise<unknown>;

/**
 * Writes the audit entry for a command. Call this before the command does its work, so that a failed command is
 * recorded too.
 *
 * @param run runs statements as the table owner, or is created by `createAuditStatementRunner`
 */
export async function recordCommand(command: AuditedCommand, run: RunStatement): Promise<void> {
  await run(
    `insert into audit_entry (clinic_id, ${COLUMNS}, actor_role, record_count, outcome)
     values ($8, ${PLACEHOLDERS}, 'COMMAND', cardinality($6::text[]), 'OK')`,
    [...toValues(command), command.clinicId ?? null],
  );
}

/**
 * Stores a command whose audit entry the service writes when it next starts. A restore uses this, because it must not
 * add entries to the audit trail that it restores.
 */
export async function recordCommandAtNextStart(command: AuditedCommand, run: RunStatement): Promise<void> {
  await run(`insert into audit_pending_command (${COLUMNS}) values (${PLACEHOLDERS})`, toValues(command));
}

/**
 * Records `migrate down`. Call this before the migrations are reverted. The command is also logged, because reverting a
 * migration may drop the table that contains the entry.
 *
 * @param em an EntityManager with the rights of the table owner
 */
export async function recordMigrateDownCommand(em: EntityManager, database: DatabaseEnvironment): Promise<void> {
  const command: AuditedCommand = { name: 'migrate down', access: 'WRITE' };
  logCommand(command);
  if (database.kind === 'embedded') return;
  const run = (text: string, values: unknown[]) =>
    em
      .fork()
      .transactional((own) =>
        (own as SqlEntityManager).getKysely().executeQuery(toCompiledQuery<unknown>(text, values)),
      );
  const { rows } = await run(`select where to_regclass('audit_entry') is not null`, []);
  if (rows.length > 0) await recordCommand(command, run);
}

/**
 * Logs a command to standard error, because standard output contains the command's result.
 *
 * @param file log file to append to instead, readable only by its owner
 */
export function logCommand({ name, access, records = [] }: AuditedCommand, file?: string): void {
  const log = pino({ base: null }, pino.destination({ dest: file ?? 2, sync: true, mode: 0o600 }));
  log.info(
    { context: 'Audit', operation: toOperationName(name), subject: getOperatorAccount(), access, records },
    'command',
  );
}

/** Creates the `run` function of `recordCommand` for a connection that has only the rights of the service. */
export function createAuditStatementRunner(given: EntityManager): RunStatement {
  return (text, values) =>
    forkForActor(given, { role: 'AUDIT' }).transactional((em) =>
      (em as SqlEntityManager).getKysely().executeQuery(toCompiledQuery(text, values)),
    );
}

const COLUMNS = 'request_id, at, actor_subject, access, operation, records, address';
const PLACEHOLDERS = '$1, $2, $3, $4, $5, $6, $7';

function toValues({ name, access, records = [] }: AuditedCommand): unknown[] {
  const now = Temporal.Now.instant().round('millisecond').toString();
  return [randomUUID(), now, getOperatorAccount(), access, toOperationName(name), records, hostname()];
}

function toOperationName(name: string): string {
  return `command ${name}`;
}

/** Returns the name of the operating system account, or its ID if the container has no name for it. */
function getOperatorAccount(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
