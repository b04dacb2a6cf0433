import type { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { randomUUID } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { pino } from 'pino';
import type { DatabaseEnvironment } from '../../shared/config/env.js';
import { forkForActor, toCompiledQuery } from '../../shared/persistence/index.js';

/* Commands that an operator runs leave an entry, too: of no Clinic, with the account of the operating system. */

/** A command as the audit trail tells of it. */
export type AuditedCommand = {
  /** As in `npm run <name>`, with the words that say what it does: `migrate down`. */
  name: 'backup' | 'migrate down' | 'restore' | 'token' | 'tzdata';
  access: 'READ' | 'WRITE';
  /** What it is about, by kind and id. */
  records?: readonly string[];
};

/** Runs one statement on PostgreSQL, with its values beside it. */
export type RunStatement = (text: string, values: unknown[]) => Promise<unknown>;

/**
 * Records a command, to be called before the command does its work: what fails halfway has been tried, and is recorded.
 *
 * @param run the database whose audit trail gets the entry: with the rights of its owner, or `withAuditRights`
 */
export async function recordCommand(command: AuditedCommand, run: RunStatement): Promise<void> {
  await run(
    `insert into audit_entry (clinic_id, ${COLUMNS}, actor_role, record_count, outcome)
     values (null, ${PLACEHOLDERS}, 'COMMAND', cardinality($6::text[]), 'OK')`,
    toValues(command),
  );
}

/** Has the next start of the service record a command. For a restore, whose database must be as the backup is. */
export async function recordCommandAtStart(command: AuditedCommand, run: RunStatement): Promise<void> {
  await run(`insert into audit_pending_command (${COLUMNS}) values (${PLACEHOLDERS})`, toValues(command));
}

/**
 * Records that migrations are taken back, to be called before that is done. The entry may go with its table, so the
 * log gets a line in any case.
 *
 * @param em with the rights of the owner of the tables
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
 * Tells a log of a command: on standard error, as standard output is what the command prints, or in a file that only its
 * owner can read.
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

/** The account of the operating system; one that only a container knows has no name. */
function getOperatorAccount(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
