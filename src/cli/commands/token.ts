import { MikroORM } from '@mikro-orm/core';
import { decodeJwt } from 'jose';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ormOptions } from '../../../mikro-orm.config.js';
import { logCommand, recordCommand, createAuditStatementRunner, type AuditedCommand } from '../../audit/index.js';
import { signToken } from '../../auth/index.js';
import { describeCommandFailure } from '../../ops/index.js';
import { ROLES, type Role } from '../../shared/access/index.js';
import { readEnvironmentWithoutKeys } from '../../shared/config/command-environment.js';
import { InvalidEnvironmentError, type DatabaseEnvironment } from '../../shared/config/env.js';
import { parseCommandLine } from '../command-line.js';

const HELP = `npm run --silent token -- --role ROLE [--id ID] [--ttl 1h]: prints one access token.

  --role  ${ROLES.join(', ')}
  --id    the id of the Clinic, Care Provider or Client
  --ttl   the lifetime of the token, such as 90s or 1h, at most JWT_MAX_LIFETIME (24 hours)`;

/**
 * With an embedded database, the command records the token in this file instead of the audit trail, because a running
 * service locks the data directory.
 */
const COMMAND_LOG = 'commands.log';

try {
  const { values } = parseCommandLine(HELP, {
    role: { type: 'string' },
    id: { type: 'string' },
    ttl: { type: 'string' },
  });
  const role = values.role?.toUpperCase() as Role;
  if (!ROLES.includes(role)) throw new Error(`--role must be one of ${ROLES.join(', ')}`);
  if (values.id !== undefined && !/^[1-9]\d{0,14}$/.test(values.id)) throw new Error('--id must be a positive integer');
  const id = values.id === undefined ? undefined : Number(values.id);
  const { token: settings, database } = readEnvironmentWithoutKeys();
  const token = await signToken(settings, { role, id, lifetime: values.ttl });
  // The `jti` is recorded because it is needed to revoke the token.
  const records = [`token/${decodeJwt(token).jti}`, ...(id === undefined ? [] : [`${toRecordKind(role)}/${id}`])];
  await record({ name: 'token', access: 'WRITE', records }, database);
  process.stdout.write(`${token}\n`);
} catch (error) {
  const lines = error instanceof InvalidEnvironmentError ? error.lines : [(error as Error).message];
  process.stderr.write(`${lines.join('\n')}\n`);
  process.exitCode = 1;
}

function toRecordKind(role: Role): string {
  return role.toLowerCase().replace('_', '-');
}

/** Called before the token is printed, so every printed token has an entry in the audit trail or the command log. */
async function record(command: AuditedCommand, database: DatabaseEnvironment): Promise<void> {
  if (database.kind === 'embedded') {
    appendToCommandLog(command, database.dataDir);
    return;
  }
  const orm = await MikroORM.init(await ormOptions({ ...database, poolSize: 1 }));
  try {
    await recordCommand(command, createAuditStatementRunner(orm.em));
  } catch (error) {
    throw new Error(`The audit trail cannot be written. ${describeCommandFailure(error)}`, { cause: error });
  } finally {
    await orm.close();
  }
}

function appendToCommandLog(command: AuditedCommand, dataDir: string): void {
  // An in-memory database has no data directory in which a log could be kept.
  if (dataDir.startsWith('memory:')) return;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  logCommand(command, join(dataDir, COMMAND_LOG));
}
