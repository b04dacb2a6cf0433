import type { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { randomUUID } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { pino } from 'pino';
import type { DatabaseEnvironment } from '../../shared/config/env.js';
import { forkForActor, toCompiledQuery } from '../../shared/persistence/index.js';

/* Audit entries for commands that an operator runs. They have no Clinic; the subject is the operating system account. */

/** A command for its audit entry. */
export type AuditedCommand = {
  /** The name of the npm script, with a subcommand if there is one. */
  name: 'backup' | 'migrate down' | 'restore' | 'token' | 'tzdata';
  access: 'READ' | 'WRITE';
  /** Kind and id of its records, `clinic/5`. */
  records?: readonly string[];
};

/** Runs one statement with parameters `$1`, `$2` … on PostgreSQL. */
export type RunStatement = (text: string, values: unknown[]) => Promise<unknown>;

/**
 * Writes the entry of a command. Call it before the command does its work, so that a failed command has an entry too.
 *
 * @param run runs statements as the owner of the tables, or with `withAuditRights`
 */
export async function recordCommand(command: AuditedCommand, run: RunStatement): Promise<void> {
  await run(
    `insert into audit_entry (clinic_id, ${COLUMNS}, actor_role, record_count, outcome)
     values (null, ${PLACEHOLDERS}, 'COMMAND', cardinality($6::text[]), 'OK')`,
    toValues(command),
  );
}

/** Stores a command, whose entry the service writes at its next start. For a restore, which must not add entries. */
export async function recordCommandAtStart(command: AuditedCommand, run: RunStatement): Promise<void> {
  await run(`insert into audit_pending_command (${COLUMNS}) values (${PLACEHOLDERS})`, toValues(command));
}

/**
 * Records `migrate down`. Call it before the migrations are reverted. They may drop the table with the entry, therefore
 * the command is also logged.
 *
 * @param em an EntityManager with the rights of the owner of the tables
 */
export async function recordMigrateDown(em: EntityManager, database: DatabaseEnvironment): Promise<void> {
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
 * Logs a command to standard error, because standard output is the result of the command.
 *
 * @param file log file to append to instead; only its owner can read it
 */
export function logCommand({ name, access, records = [] }: AuditedCommand, file?: string): void {
  const log = pino({ base: null }, pino.destination({ dest: file ?? 2, sync: true, mode: 0o600 }));
  log.info(
    { context: 'Audit', operation: toOperationName(name), subject: getOperatorAccount(), access, records },
    'command',
  );
}

/** Runs statements of `recordCommand` for a login that has the rights of the service and no more. */
export function withAuditRights(given: EntityManager): RunStatement {
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

/** The name of the operating system account; its id in a container without a name for it. */
function getOperatorAccount(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
