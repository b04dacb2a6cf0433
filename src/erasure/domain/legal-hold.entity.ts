import { defineEntity, p } from '@mikro-orm/core';
import { columns } from '../../shared/persistence/index.js';
import type { HoldReason } from './erasure-codes.js';

const LegalHoldSchema = defineEntity({
  name: 'LegalHold',
  tableName: 'legal_hold',
  properties: {
    id: columns.id(),
    clinicId: columns.reference(),
    clientId: columns.reference(),
    reason: p.text().$type<HoldReason>(),
    caseReference: p.text().nullable().strictNullable(),
    setAt: columns.instant(),
    liftedAt: columns.instant().nullable().strictNullable(),
  },
});

export type LegalHoldData = { reason: HoldReason; caseReference: string | null };

/** Refuses the erasure of a Client until it is lifted. A Client has at most one that is not lifted. */
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
