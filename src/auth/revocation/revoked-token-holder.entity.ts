import { defineEntity, p } from '@mikro-orm/core';
import { columnTypes } from '../../shared/persistence/index.js';
import type { RoleWithRecord } from './token-holder.js';

const RevokedTokenHolderSchema = defineEntity({
  name: 'RevokedTokenHolder',
  tableName: 'revoked_token_holder',
  properties: {
    id: columnTypes.id(),
    /** The Clinic that has revoked the tokens; null for an administrator. */
    clinicId: columnTypes.reference().nullable().strictNullable(),
    /** The `sub` claim of the revoked tokens. Null means all subjects whose tokens name the record. */
    subject: p.text().nullable().strictNullable(),
    /**
     * Together with `recordId`, the directory record that the revoked tokens name. Null means all records of the
     * subject.
     */
    role: p.text().$type<RoleWithRecord>().nullable().strictNullable(),
    recordId: columnTypes.reference().nullable().strictNullable(),
    /** Tokens with an earlier `iat` are refused, and so are tokens without an `iat`. */
    issuedBefore: columnTypes.instant(),
    revokedAt: columnTypes.instant(),
    /** From this time on, the row can be deleted, because all tokens issued before `issuedBefore` have expired. */
    expiresAt: columnTypes.instant(),
  },
});

/**
 * The revocation of all tokens of a subject or directory record that were issued before an instant.
 * `TokenHolderRevocations` writes the rows.
 */
export class RevokedTokenHolder extends RevokedTokenHolderSchema.class {}
RevokedTokenHolderSchema.setClass(RevokedTokenHolder);
