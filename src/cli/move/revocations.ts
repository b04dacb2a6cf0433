import type { Client } from 'pg';
import { toOwnerKey } from '../../shared/encryption/index.js';
import { CommandError } from '../command-error.js';
import type { MoveHead } from './move-manifest.js';
import { findClinicKeyOwners } from './moved-keys.js';

/* Revocations by administrators belong to no Clinic. Those of a Clinic move with its rows. */

/** The revocations by administrators that can concern tokens of the Clinic. */
export type AdministratorRevocations = Pick<MoveHead, 'revokedTokens' | 'revokedTokenHolders'>;

type RevokedHolder = MoveHead['revokedTokenHolders'][number];

/** The instances and the database may have different clocks. To revoke a token twice does no harm. */
const IS_SINCE = `revoked_at > coalesce($1::timestamptz - interval '1 minute', '-infinity')`;

/**
 * Reads the revocations of single tokens, of subjects, and of the Clinic and its people. Subjects and single tokens
 * do not name their Clinic, so those of all Clinics are read.
 *
 * @param since reads only later revocations; null reads all
 */
export async function readRevocations(
  client: Client,
  clinicId: number,
  since: Date | null = null,
): Promise<AdministratorRevocations> {
  const { rows: revokedTokens } = await client.query<AdministratorRevocations['revokedTokens'][number]>(
    `select jti, revoked_at::text as "revokedAt", expires_at::text as "expiresAt" from revoked_token
      where expires_at > now() and ${IS_SINCE} order by id`,
    [since],
  );
  const { rows: holders } = await client.query<RevokedHolder>(
    `select subject, role, record_id::float8 as "recordId",
        to_char(issued_before at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "issuedBefore",
        revoked_at::text as "revokedAt", expires_at::text as "expiresAt"
      from revoked_token_holder
      where clinic_id is null and expires_at > now() and ${IS_SINCE} order by id`,
    [since],
  );
  const isOwn = await createOwnHolderTest(client, clinicId);
  return { revokedTokens, revokedTokenHolders: holders.filter(isOwn) };
}

/**
 * Adds revocations of the other installation. If a token or a holder is revoked in both, the later instants apply.
 *
 * @throws CommandError if they name a record of another Clinic
 */
export async function addRevocations(
  client: Client,
  clinicId: number,
  { revokedTokens, revokedTokenHolders: holders }: AdministratorRevocations,
): Promise<void> {
  const isOwn = await createOwnHolderTest(client, clinicId);
  const other = holders.find((holder) => !isOwn(holder));
  if (other !== undefined)
    throw new CommandError(`The file revokes tokens of ${other.role} ${other.recordId}, which is not of the Clinic.`);
  await client.query(
    `insert into revoked_token as known (jti, revoked_at, expires_at)
      select jti, "revokedAt", "expiresAt"
      from jsonb_to_recordset($1) as moved (jti text, "revokedAt" timestamptz, "expiresAt" timestamptz)
      on conflict (jti) do update set expires_at = greatest(known.expires_at, excluded.expires_at)`,
    [JSON.stringify(revokedTokens)],
  );
  await client.query(
    `insert into revoked_token_holder as known (subject, role, record_id, issued_before, revoked_at, expires_at)
      select subject, role, "recordId", "issuedBefore", "revokedAt", "expiresAt"
      from jsonb_to_recordset($1) as moved (subject text, role text, "recordId" bigint, "issuedBefore" timestamptz,
        "revokedAt" timestamptz, "expiresAt" timestamptz)
      on conflict (clinic_id, subject, role, record_id) do update set
        issued_before = greatest(known.issued_before, excluded.issued_before),
        revoked_at = greatest(known.revoked_at, excluded.revoked_at),
        expires_at = greatest(known.expires_at, excluded.expires_at),
        changed_in = pg_current_xact_id()`,
    [JSON.stringify(holders)],
  );
}

/** Describes each revocation in one line, with the values that a request to revoke the tokens takes. */
export function describeRevocations({ revokedTokens, revokedTokenHolders }: AdministratorRevocations): string[] {
  return [
    ...revokedTokens.map(({ jti }) => JSON.stringify({ jti })),
    ...revokedTokenHolders.map(({ subject, role, recordId, issuedBefore }) => {
      const record = role === null ? {} : { record: `${role.toLowerCase().replace('_', '-')}/${recordId}` };
      return JSON.stringify({ ...record, ...(subject !== null && { subject }), issuedBefore });
    }),
  ];
}

/** Returns whether a holder is a subject of any Clinic, or the Clinic or one of its people. */
async function createOwnHolderTest(client: Client, clinicId: number): Promise<(holder: RevokedHolder) => boolean> {
  const own = new Set((await findClinicKeyOwners(client, clinicId)).map(toOwnerKey));
  return ({ role, recordId }) => role === null || own.has(toOwnerKey({ kind: role, id: recordId! }));
}
