import { defineEntity, p } from '@mikro-orm/core';
import { columnTypes } from '../../shared/persistence/index.js';

/** The roles that can end an access before it expires. */
export const ROLES_ENDING_ACCESS = ['ADMIN', 'CLINIC'] as const;
type RoleEndingAccess = (typeof ROLES_ENDING_ACCESS)[number];

const AdministratorAccessSchema = defineEntity({
  name: 'AdministratorAccess',
  tableName: 'administrator_access',
  properties: {
    id: columnTypes.id(),
    /** The Clinic whose data the administrator reads. */
    clinicId: columnTypes.reference(),
    /** The claim `sub` of the administrator's token. */
    administrator: p.text(),
    reason: columnTypes.encrypted('CLINIC', 'clinicId'),
    openedAt: columnTypes.instant(),
    expiresAt: columnTypes.instant(),
    /**
     * The time at which the administrator or the Clinic ended the access early. Null otherwise, even if it has expired.
     */
    endedAt: columnTypes.instant().nullable().strictNullable(),
    endedBy: p.text().$type<RoleEndingAccess>().nullable().strictNullable(),
  },
});

/** An administrator's permission to read the data of one Clinic. It states a reason and is limited in time. */
export class AdministratorAccess extends AdministratorAccessSchema.class {
  constructor(
    {
      administrator,
      clinicId,
      reason,
      minutes,
    }: { administrator: string; clinicId: number; reason: string; minutes: number },
    now: Temporal.Instant,
  ) {
    super();
    this.administrator = administrator;
    this.clinicId = clinicId;
    this.reason = reason;
    this.openedAt = now;
    this.expiresAt = now.add({ minutes });
    this.endedAt = null;
    this.endedBy = null;
  }

  isOpen(now: Temporal.Instant): boolean {
    return this.endedAt === null && Temporal.Instant.compare(now, this.expiresAt) < 0;
  }

  /** Ends the access early. Does nothing if it has already ended or expired. */
  end(by: RoleEndingAccess, now: Temporal.Instant): void {
    if (!this.isOpen(now)) return;
    this.endedAt = now;
    this.endedBy = by;
  }
}
AdministratorAccessSchema.setClass(AdministratorAccess);
