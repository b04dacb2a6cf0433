import { defineEntity, p } from '@mikro-orm/core';
import { columnTypes } from '../../shared/persistence/index.js';

export const ACTOR_ROLES = [
  ...(['CLINIC', 'CARE_PROVIDER', 'CLIENT', 'ADMIN'] as const),
  ...(['CALENDAR_LINK', 'OPT_OUT_LINK', 'NOBODY', 'COMMAND', 'SYSTEM'] as const),
] as const;
export const ACCESS_TYPES = ['READ', 'WRITE'] as const;

const AuditEntrySchema = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_entry',
  properties: {
    id: columnTypes.id(),
    /**
     * The Clinic whose audit trail contains the entry, by default set by the database to the actor's Clinic. Null for
     * entries without a Clinic, such as those of unauthenticated requests.
     */
    clinicId: columnTypes.reference().nullable().strictNullable(),
    at: columnTypes.instant(),
    actorRole: p.text().$type<(typeof ACTOR_ROLES)[number]>(),
    /** ID of the directory record that the token names. */
    actorId: columnTypes.reference().nullable().strictNullable(),
    /** The token's `sub` claim; for a command, the operating system account. */
    actorSubject: p.text().nullable().strictNullable(),
    access: p.text().$type<(typeof ACCESS_TYPES)[number]>(),
    /** Method and route pattern without parameter values, `command <name>` or `system <name>`. */
    operation: p.text(),
    /** Kind and ID of each record, without personal data: `client/12`, `series/<uuid>`. */
    records: p.array(),
    /** Number of records in the request. A request with more than a thousand records has several entries. */
    recordCount: p.integer(),
    requestId: p.uuid(),
    /** The client address, or the host name for a command or a change by the service. */
    address: p.text(),
    /** `OK`, or the HTTP status of a denied request. */
    outcome: p.text(),
    /** Number of requests that the entry represents. */
    count: p.integer(),
  },
});

/** An entry of the audit trail: one request with its actor, operation, records, time, address and outcome. */
export class AuditEntry extends AuditEntrySchema.class {}

AuditEntrySchema.setClass(AuditEntry);
