import { defineEntity, p } from '@mikro-orm/core';
import { columnTypes } from '../../shared/persistence/index.js';
import type { LegalHoldReason } from './erasure-codes.js';

const LegalHoldSchema = defineEntity({
  name: 'LegalHold',
  tableName: 'legal_hold',
  properties: {
    id: columnTypes.id(),
    clinicId: columnTypes.reference(),
    clientId: columnTypes.reference(),
    reason: p.text().$type<LegalHoldReason>(),
    caseReference: p.text().nullable().strictNullable(),
    setAt: columnTypes.instant(),
    liftedAt: columnTypes.instant().nullable().strictNullable(),
  },
});

type LegalHoldData = { reason: LegalHoldReason; caseReference: string | null };

/** Prevents the erasure of a Client until the hold is lifted. A Client has at most one hold that is not lifted. */
export class LegalHold extends LegalHoldSchema.class {
  constructor(clinicId: number, clientId: number, data: LegalHoldData, now: Temporal.Instant) {
    super();
    this.clinicId = clinicId;
    this.clientId = clientId;
    this.setAt = now;
    this.liftedAt = null;
    this.change(data);
  }

  change({ reason, caseReference }: LegalHoldData): void {
    this.reason = reason;
    this.caseReference = caseReference;
  }

  lift(now: Temporal.Instant): void {
    this.liftedAt = now;
  }
}
LegalHoldSchema.setClass(LegalHold);
