import { defineEntity, p } from '@mikro-orm/core';
import { columns } from '../shared/persistence/index.js';

const IdempotencyKeySchema = defineEntity({
  name: 'IdempotencyKey',
  tableName: 'idempotency_key',
  properties: {
    /** Digest of the caller and the key: the key itself is not kept, as it opens the answer. */
    id: p.text().primary(),
    /** Digest of whose it is: what row-level security compares. */
    caller: p.text(),
    /** Digest of the request. */
    fingerprint: p.text(),
    /** Sealed with the key. */
    answer: p.blob(),
    expiresAt: columns.instant(),
  },
});

type IdempotencyKeyData = {
  id: string;
  caller: string;
  fingerprint: string;
  answer: Buffer;
  expiresAt: Temporal.Instant;
};

/** What a caller was answered to a request with an `Idempotency-Key`. */
export class IdempotencyKey extends IdempotencyKeySchema.class {
  constructor({ id, caller, fingerprint, answer, expiresAt }: IdempotencyKeyData) {
    super();
    this.id = id;
    this.caller = caller;
    this.fingerprint = fingerprint;
    this.answer = answer;
    this.expiresAt = expiresAt;
  }
}
IdempotencyKeySchema.setClass(IdempotencyKey);
