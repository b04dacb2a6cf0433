import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Client } from 'pg';
import { CommandError } from '../command-error.js';
import { inMoveTransaction, recordMoveCommand } from './move-connection.js';
import { readRevocations, type AdministratorRevocations } from './revocations.js';

/** The row of a move. Both installations have one with the same ID and secret. */
type ClinicMove = {
  clinic_id: string;
  direction: 'OUT' | 'IN';
  move_id: string;
  secret: string;
  closed_at: Date | null;
  confirmed_at: Date | null;
};

/** The ID and secret of a move. The encrypted file contains both, so both installations know them. */
export type MoveCredentials = { moveId: string; secret: string };

/**
 * Begins to move a Clinic away. From then on, requests cannot change the Clinic, and its reminders are not queued.
 * Continues an earlier move that has not been confirmed.
 */
export function beginMoveAway(clinicId: number): Promise<MoveCredentials> {
  return inMoveTransaction(async (client) => {
    await requireClinicExists(client, clinicId);
    const known = await findMove(client, clinicId);
    if (known?.direction === 'IN') throw new CommandError(`Clinic ${clinicId} was imported and is not open yet.`);
    if (known?.confirmed_at) throw new CommandError(`Clinic ${clinicId} has moved away: the move is confirmed.`);
    await recordMoveCommand(client, 'export-clinic', clinicId);
    if (known !== undefined) return toCredentials(known);
    const { rows } = await client.query<ClinicMove>(
      `insert into clinic_move (clinic_id, direction, move_id, secret, started_at)
        values ($1, 'OUT', gen_random_uuid(), $2, clock_timestamp()) returning *`,
      [clinicId, randomBytes(32).toString('hex')],
    );
    return toCredentials(rows[0]!);
  });
}

/** @throws CommandError if the Clinic does not exist */
export async function requireClinicExists(client: Client, clinicId: number): Promise<void> {
  const { rows } = await client.query('select from clinic where id = $1', [clinicId]);
  if (rows.length === 0) throw new CommandError(`There is no Clinic ${clinicId}.`);
}

/** The move was cancelled while the export was running, so the Clinic is open and its file is worthless. */
export class MoveCancelledError extends CommandError {
  constructor(clinicId: number) {
    super(`The move of Clinic ${clinicId} was cancelled during the export: the Clinic is open, and there is no file.`);
  }
}

/**
 * Closes a Clinic that is moved away for jobs as well. Requests cannot change it since `beginMoveAway`.
 *
 * @throws MoveCancelledError
 */
export function closeClinicForJobs(clinicId: number, { moveId }: MoveCredentials): Promise<void> {
  return inMoveTransaction(async (client) => {
    const { rowCount } = await client.query(
      `update clinic_move set closed_at = coalesce(closed_at, clock_timestamp()) where clinic_id = $1 and move_id = $2`,
      [clinicId, moveId],
    );
    if (rowCount === 0) throw new MoveCancelledError(clinicId);
  });
}

/** @throws MoveCancelledError unless the Clinic is still being moved */
export function requireNotCancelled(clinicId: number, { moveId }: MoveCredentials): Promise<void> {
  return inMoveTransaction(async (client) => {
    const known = await findMove(client, clinicId);
    if (known?.move_id !== moveId) throw new MoveCancelledError(clinicId);
  });
}

/** Reopens a Clinic that was not imported elsewhere. @throws CommandError if the move is confirmed */
export function cancelMoveAway(clinicId: number): Promise<void> {
  return inMoveTransaction(async (client) => {
    await requireMoveAway(client, clinicId);
    await recordMoveCommand(client, 'export-clinic', clinicId);
    await endMove(client, clinicId);
  });
}

/** The code with which the other installation opens the Clinic, and the revocations that may be missing there. */
type ConfirmedMove = { code: string; revocations: AdministratorRevocations };

/**
 * Confirms that the Clinic was imported elsewhere, which cannot be undone.
 *
 * @param receipt the code that the import has printed
 */
export function confirmMoveAway(clinicId: number, receipt: string): Promise<ConfirmedMove> {
  return inMoveTransaction(async (client) => {
    const known = await findMove(client, clinicId);
    const move = known?.confirmed_at ? known : await requireMoveAway(client, clinicId);
    if (move.closed_at === null || !isCode(receipt, computeReceipt(toCredentials(move))))
      throw new CommandError(`The receipt does not belong to the last export of Clinic ${clinicId}.`);
    if (move.confirmed_at === null) {
      await recordMoveCommand(client, 'export-clinic', clinicId);
      await client.query('update clinic_move set confirmed_at = clock_timestamp() where clinic_id = $1', [clinicId]);
    }
    const revocations = await readRevocations(client, clinicId, move.closed_at);
    return { code: toOpeningCode(toCredentials(move)), revocations };
  });
}

/** Returns whether the Clinic was imported by this move, and is not open yet. */
export function isImported({ clinicId, ...credentials }: MoveCredentials & { clinicId: number }): Promise<boolean> {
  return inMoveTransaction(async (client) => {
    const move = await findMove(client, clinicId);
    return move?.direction === 'IN' && isCode(computeReceipt(credentials), computeReceipt(toCredentials(move)));
  });
}

/**
 * `deletionCode`: with it, the old installation deletes its rows. `isRepeated`: the Clinic was opened before. The secret
 * of its move is deleted then, so its code cannot be checked.
 */
type OpenedClinic = { deletionCode: string; isRepeated: boolean };

/**
 * Opens an imported Clinic: requests can change it, and its reminders are sent. Can be repeated to get the code again.
 */
export function openImportedClinic(clinicId: number, code: string): Promise<OpenedClinic> {
  return inMoveTransaction(async (client) => {
    if (await wasOpened(client, clinicId)) return { deletionCode: toDeletionCode(code), isRepeated: true };
    const move = await requireUnopenedImport(client, clinicId);
    if (!isCode(code, toOpeningCode(toCredentials(move))))
      throw new CommandError(`The code does not open Clinic ${clinicId}: it is printed when the move is confirmed.`);
    await recordMoveCommand(client, 'import-clinic', clinicId);
    await endMove(client, clinicId);
    return { deletionCode: toDeletionCode(code), isRepeated: false };
  });
}

/** Whether the Clinic was imported here, which its audit trail says, and is open. */
async function wasOpened(client: Client, clinicId: number): Promise<boolean> {
  const { rows } = await client.query(
    `select from audit_entry where clinic_id = $1 and operation = 'command import-clinic'
      and not exists (select from clinic_move where clinic_id = $1) limit 1`,
    [clinicId],
  );
  return rows.length > 0;
}

/**
 * Opens the Clinic. Its instants were not recomputed if new time zone data came while it was closed, so the instances
 * process all Sessions once more.
 */
async function endMove(client: Client, clinicId: number): Promise<void> {
  await client.query('delete from clinic_move where clinic_id = $1', [clinicId]);
  await client.query(
    `update zone_data set next_session_id = 0, finished_at = null where id = (select max(id) from zone_data)`,
  );
}

/** @throws CommandError if the Clinic was not imported, or is open already */
export async function requireUnopenedImport(client: Client, clinicId: number): Promise<ClinicMove> {
  const move = await findMove(client, clinicId);
  if (move?.direction !== 'IN') throw new CommandError(`Clinic ${clinicId} does not wait to be opened.`);
  return move;
}

/**
 * @param code the code that the other installation has printed when it opened the Clinic
 * @throws CommandError unless the Clinic has moved away, and is open in the other installation
 */
export async function requireCompletedMoveAway(client: Client, clinicId: number, code: string): Promise<void> {
  const move = await findMove(client, clinicId);
  if (move?.direction !== 'OUT' || move.confirmed_at === null)
    throw new CommandError(`Clinic ${clinicId} has not moved away, or the move is not confirmed.`);
  if (!isCode(code, toDeletionCode(toOpeningCode(toCredentials(move)))))
    throw new CommandError(
      `The code does not delete Clinic ${clinicId}: the other installation prints it when the Clinic is opened there.`,
    );
}

async function requireMoveAway(client: Client, clinicId: number): Promise<ClinicMove> {
  const move = await findMove(client, clinicId);
  if (move?.direction !== 'OUT') throw new CommandError(`Clinic ${clinicId} is not moving away.`);
  if (move.confirmed_at !== null) throw new CommandError(`The move of Clinic ${clinicId} is confirmed.`);
  return move;
}

async function findMove(client: Client, clinicId: number): Promise<ClinicMove | undefined> {
  const { rows } = await client.query<ClinicMove>('select * from clinic_move where clinic_id = $1 for update', [
    clinicId,
  ]);
  return rows[0];
}

function toCredentials({ move_id: moveId, secret }: ClinicMove): MoveCredentials {
  return { moveId, secret };
}

/** The code that proves to the old installation that the Clinic was imported. */
export function computeReceipt(credentials: MoveCredentials): string {
  return computeCode(credentials, 'imported');
}

/** The code that proves to the new installation that the old one does not open the Clinic again. */
function toOpeningCode(credentials: MoveCredentials): string {
  return computeCode(credentials, 'confirmed');
}

/**
 * The code that proves to the old installation that the Clinic is open in the new one, and cannot be discarded there. It
 * is computed from the opening code, because the secret of the move is deleted when the Clinic is opened.
 */
function toDeletionCode(openingCode: string): string {
  return createHash('sha256').update(`opened ${openingCode}`).digest('hex').slice(0, 32);
}

function computeCode({ moveId, secret }: MoveCredentials, what: string): string {
  return createHmac('sha256', secret).update(`${what} ${moveId}`).digest('hex').slice(0, 32);
}

function isCode(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
