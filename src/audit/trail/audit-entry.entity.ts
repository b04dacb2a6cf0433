import { defineEntity, p } from '@mikro-orm/core';
import { columns } from '../../shared/persistence/index.js';

export const ACTOR_ROLES = [
  ...(['CLINIC', 'CARE_PROVIDER', 'CLIENT', 'ADMIN'] as const),
  ...(['CALENDAR_LINK', 'OPT_OUT_LINK', 'NOBODY', 'COMMAND', 'SYSTEM'] as const),
] as const;
export const ACCESS_TYPES = ['READ', 'WRITE'] as const;

const AuditEntrySchema = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_entry',
  properties: {
    id: columns.id(),
    /** The caller's Clinic as the database knows it; of administrators, and of whom nobody knows, none. */
    clinicId: columns.reference().nullable().strictNullable(),
    at: columns.instant(),
    actorRole: p.text().$type<(typeof ACTOR_ROLES)[number]>(),
    /** The record that the token names. */
    actorId: columns.reference().nullable().strictNullable(),
    /** `sub` of the token. */
    actorSubject: p.text().nullable().strictNullable(),
    access: p.text().$type<(typeof ACCESS_TYPES)[number]>(),
    /** Method and pattern of the route, never the URL; or `command` or `system`, and a name. */
    operation: p.text(),
    /** `client/12`, `series/<uuid>` …: kinds and ids, never names. */
    records: p.array(),
    /** How many they were. More than a thousand are in several entries of the same request. */
    recordCount: p.integer(),
    requestId: p.uuid(),
    /** Where the request came from. */
    address: p.text(),
    /** `OK`, or the status with which it was denied. */
    outcome: p.text(),
    /** How many requests it stands for. */
    count: p.integer(),
  },
});

/** One request that was answered or denied: who, what, which records, when, from where, with which outcome. */
export class AuditEntry extends AuditEntrySchema.class {}

AuditEntrySchema.setClass(AuditEntry);
