import { defineEntity, p } from '@mikro-orm/core';
import { columnTypes } from '../shared/persistence/index.js';

const IdempotencyKeySchema = defineEntity({
  name: 'IdempotencyKey',
  tableName: 'idempotency_key',
  properties: {
    /**
     * HMAC of the caller, computed with the idempotency key. The key is not stored, because it could decrypt the
     * response.
     */
    id: p.text().primary(),
    /** Digest of the caller, for row-level security. */
    caller: p.text(),
    /** HMAC of the request. If it differs, the key is being used for a different request. */
    fingerprint: p.text(),
    /** The response, encrypted with a key derived from the idempotency key. */
    answer: p.blob(),
    /** The records that the audit entry of the request names, so that an erasure finds the response. */
    records: p.array(),
    expiresAt: columnTypes.instant(),
  },
});

type IdempotencyKeyData = {
  id: string;
  caller: string;
  fingerprint: string;
  answer: Buffer;
  records: readonly string[];
  expiresAt: Temporal.Instant;
};

/** The stored response to a request with an `Idempotency-Key`. */
export class IdempotencyKey extends IdempotencyKeySchema.class {
  constructor({ id, caller, fingerprint, answer, records, expiresAt }: IdempotencyKeyData) {
    super();
    this.id = id;
    this.caller = caller;
    this.fingerprint = fingerprint;
    this.answer = answer;
    this.records = [...records];
    this.expiresAt = expiresAt;
  }
}
IdempotencyKeySchema.setClass(IdempotencyKey);
