import {
  findKeyOwnerKind,
  INSTALLATION_KEY_OWNER,
  isEncryptedText,
  type KeyOwner,
} from '../../shared/encryption/index.js';
import { encryptionOf, type AnyEntityManager, type PlacedText } from '../../shared/persistence/index.js';
import type { AuditEntry } from './audit-entry.entity.js';

/*
 * Encrypts the subject of the caller's token and the caller's address with the key of the caller's record, or of the
 * owner of the secret link. If the caller has neither, the key of the entry's Clinic is used, so that both can be read
 * after the Clinic has moved to another installation; if there is no Clinic either, the installation's key. They are
 * encrypted before the entry is hashed, so the hash chain still verifies after the key was destroyed. Entries of
 * commands, of the service itself and of releases without this encryption are in clear text.
 */

type Caller = { subject: string | null; address: string };
/** `records` contains the owner of a secret link. */
type Actor = { role: string; id: number | null; clinicId: number | null; records: readonly string[] };
type CallerColumns = Pick<
  AuditEntry,
  'clinicId' | 'actorRole' | 'actorId' | 'actorSubject' | 'address' | 'requestId' | 'records'
>;

const OWNER_KINDS = new Set(['CLIENT', 'CARE_PROVIDER', 'CLINIC']);
const LINK_ROLES = new Set(['CALENDAR_LINK', 'OPT_OUT_LINK']);
const LINK_OWNER = /^(client|care-provider)\/(\d+)$/;

/**
 * Encrypts the caller of a request.
 *
 * @param isKnown whether the request has succeeded, so that the record of the caller exists
 */
export async function encryptCaller(
  em: AnyEntityManager,
  actor: Actor,
  { subject, address }: Caller,
  requestId: string,
  isKnown: boolean,
): Promise<Caller> {
  const owner = toOwner(actor);
  const texts = toPlacedTexts(subject, address, requestId);
  const [encryptedSubject, encryptedAddress] = await encryptionOf(em).encryptTexts(owner, texts, { isKnown });
  return { subject: encryptedSubject ?? null, address: encryptedAddress! };
}

/**
 * Decrypts the callers of entries. Returns copies, because the hash of an entry is computed from its stored, encrypted
 * columns.
 */
export async function decryptCallers<Entry extends CallerColumns>(
  em: AnyEntityManager,
  entries: readonly Entry[],
): Promise<Entry[]> {
  const texts = entries.flatMap(
    ({ clinicId, actorRole: role, actorId: id, actorSubject, address, requestId, records }) =>
      toPlacedTexts(actorSubject, address, requestId).map((text) => ({
        ...text,
        // Earlier releases used the key of the Clinic for requests with a link.
        owner: toOwner({ role, id, clinicId, records: isEncryptedWithKeyOf('CLINIC', address) ? [] : records }),
      })),
  );
  const plain = await encryptionOf(em).decryptTexts(texts);
  return entries.map((entry, index) => ({
    ...entry,
    actorSubject: plain[index * 2] ?? null,
    address: plain[index * 2 + 1]!,
  }));
}

/** Binds each text to the ID of the request, because the ID of the entry is unknown until the database assigns it. */
function toPlacedTexts(subject: string | null, address: string, row: string): PlacedText[] {
  return [
    { text: subject, place: { table: 'audit_entry', column: 'actor_subject', row } },
    { text: address, place: { table: 'audit_entry', column: 'address', row } },
  ];
}

function isEncryptedWithKeyOf(kind: KeyOwner['kind'], text: string): boolean {
  return isEncryptedText(text) && findKeyOwnerKind(text) === kind;
}

function toOwner({ role, id, clinicId, records }: Actor): KeyOwner {
  if (id !== null && OWNER_KINDS.has(role)) return { kind: role as KeyOwner['kind'], id };
  const [, kind, ownerId] = (LINK_ROLES.has(role) && LINK_OWNER.exec(records.at(-1) ?? '')) || [];
  if (kind !== undefined) return { kind: kind === 'client' ? 'CLIENT' : 'CARE_PROVIDER', id: Number(ownerId) };
  return clinicId === null ? INSTALLATION_KEY_OWNER : { kind: 'CLINIC', id: clinicId };
}
