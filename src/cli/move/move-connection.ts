import { MikroORM } from '@mikro-orm/core';
import type { Client } from 'pg';
import { ormOptions } from '../../../mikro-orm.config.js';
import { recordCommand, AuditVerifier, type AuditedCommand } from '../../audit/index.js';
import { withOwnerConnection } from '../../ops/index.js';
import { readEnvironmentWithoutKeys } from '../../shared/config/command-environment.js';
import { readEnvironment } from '../../shared/config/env.js';
import { openDataKeys, type DataKeys } from '../../shared/encryption/index.js';
import {
  countPlainRowsOfClinic,
  findEncryptedTexts,
  requireCurrentSchema,
  requireMatchingKeyStore,
} from '../../shared/persistence/index.js';
import { inOwnerTransaction } from '../backup/connection.js';
import { CommandError } from '../command-error.js';

/** @throws CommandError if the database is embedded */
export function requirePostgresqlServer(): void {
  if (readEnvironmentWithoutKeys().database.kind === 'embedded')
    throw new CommandError('This command needs a PostgreSQL server: set DATABASE_URL.');
}

/** Runs work in a transaction of the table owner. @throws CommandError if Clinics of the database cannot move */
export function inMoveTransaction<T>(work: (client: Client) => Promise<T>, begin = 'begin'): Promise<T> {
  return inOwnerTransaction(begin, async (client) => {
    const { rows } = await client.query(
      `select from pg_trigger where tgrelid = to_regclass('clinic') and tgname = 'refuse_moved_insert'`,
    );
    if (rows.length === 0)
      throw new CommandError('Clinics of a distributed database cannot move. Otherwise, run "npm run migrate" first.');
    return work(client);
  });
}

/** Allows or forbids, from now on, that the transaction changes rows of a Clinic that is closed because of a move. */
export async function allowChangesOfClosedClinic(client: Client, isAllowed = true): Promise<void> {
  await client.query(`select set_config('app.clinic_move', $1, true)`, [isAllowed ? 'on' : 'off']);
}

/** Writes an audit entry for a command that moves a Clinic: one for the installation, and one for the Clinic. */
export async function recordMoveCommand(client: Client, name: AuditedCommand['name'], clinicId: number): Promise<void> {
  const command: AuditedCommand = { name, access: 'WRITE', records: [`clinic/${clinicId}`] };
  for (const entry of [command, { ...command, clinicId }])
    await recordCommand(entry, (text, values) => client.query(text, values));
}

/**
 * Opens the keys of the installation, if it has any.
 *
 * @throws MissingKeysError if the database was encrypted, and the keys are missing or belong to another database
 */
export async function openInstallationKeys(): Promise<DataKeys | undefined> {
  const { encryption } = readEnvironment();
  const keys = openDataKeys(encryption);
  await withServiceLogin(async (orm) => {
    await requireCurrentSchema(orm);
    await requireMatchingKeyStore(orm.em, keys);
  });
  return keys;
}

/** Reads from the entities which tables have encrypted texts. */
export function readEncryptedTexts(): Promise<ReturnType<typeof findEncryptedTexts>> {
  return withServiceLogin((orm) => Promise.resolve(findEncryptedTexts(orm.getMetadata().getAll().values())));
}

/**
 * Counts the rows of a Clinic in clear text that `encrypt-rows` would encrypt.
 *
 * @returns 0 if this installation does not encrypt
 */
export async function countRowsToEncrypt(clinicId: number): Promise<number> {
  const { database, encryption } = readEnvironment();
  if (!encryption.encrypts) return 0;
  return withOwnerConnection(database, ({ em }) => countPlainRowsOfClinic(em.fork(), clinicId));
}

/** @throws CommandError if the audit trail of the Clinic was changed */
export async function requireIntactAuditTrail(clinicId: number): Promise<void> {
  const findings = await withServiceLogin(({ em }) => new AuditVerifier(em, () => undefined).verifyClinic(clinicId));
  if (findings > 0)
    throw new CommandError(
      `The audit trail of Clinic ${clinicId} has ${findings} finding(s): run "npm run audit-verify".`,
    );
}

const openOrm = async () => MikroORM.init(await ormOptions(readEnvironmentWithoutKeys().database));

async function withServiceLogin<T>(work: (orm: Awaited<ReturnType<typeof openOrm>>) => Promise<T>): Promise<T> {
  const orm = await openOrm();
  try {
    return await work(orm);
  } finally {
    await orm.close();
  }
}
