import { defineEntity, p } from '@mikro-orm/core';
import { columns } from '../../shared/persistence/index.js';
import type { RecordRole } from './token-holder.js';

const RevokedTokenHolderSchema = defineEntity({
  name: 'RevokedTokenHolder',
  tableName: 'revoked_token_holder',
  properties: {
    id: columns.id(),
    /** The Clinic that has revoked the tokens. Null for an administrator. */
    clinicId: columns.reference().nullable().strictNullable(),
    /** The claim `sub`. Null for all subjects of the record. */
    subject: p.text().nullable().strictNullable(),
    /** With `recordId`: the record that the tokens name. Null for all records of the subject. */
    role: p.text().$type<RecordRole>().nullable().strictNullable(),
    recordId: columns.reference().nullable().strictNullable(),
    /** Tokens from before are refused, and tokens without `iat`. */
    issuedBefore: columns.instant(),
    revokedAt: columns.instant(),
    /** All tokens from before `issuedBefore` have expired; the row can be deleted. */
    expiresAt: columns.instant(),
  },
});

/** A subject or directory record whose tokens from before an instant are refused. Written by `HolderRevocations`. */
export class RevokedTokenHolder extends RevokedTokenHolderSchema.class {}
RevokedTokenHolderSchema.setClass(RevokedTokenHolder);
