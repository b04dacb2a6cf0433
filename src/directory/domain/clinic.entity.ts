import { defineEntity, p } from '@mikro-orm/core';
import { columns } from '../../shared/persistence/index.js';

const ClinicSchema = defineEntity({
  name: 'Clinic',
  tableName: 'clinic',
  properties: {
    id: columns.id(),
    externalId: p.text().nullable().strictNullable(),
    name: p.text(),
    timeZone: p.text(),
    /** BCP 47 language tag for people who have no locale of their own. Null means English. */
    locale: p.text().nullable().strictNullable(),
    active: p.boolean(),
    createdAt: columns.instant(),
  },
});

export type ClinicData = {
  name: string;
  timeZone: string;
  locale?: string | null;
  active?: boolean;
  externalId?: string | null;
};

/** A Clinic, which is a tenant. All other directory records except shared Books belong to a Clinic. */
export class Clinic extends ClinicSchema.class {
  constructor(data: ClinicData, now: Temporal.Instant) {
    super();
    this.externalId = data.externalId ?? null;
    this.name = data.name;
    this.timeZone = data.timeZone;
    this.locale = data.locale ?? null;
    this.active = data.active ?? true;
    this.createdAt = now;
  }

  /** Changes only the fields that are present. Null clears an optional field. */
  change(data: Partial<ClinicData>): void {
    this.name = data.name ?? this.name;
    this.timeZone = data.timeZone ?? this.timeZone;
    if (data.locale !== undefined) this.locale = data.locale;
    if (data.externalId !== undefined) this.externalId = data.externalId;
    this.active = data.active ?? this.active;
  }

  /** Replaces all fields. Absent fields are cleared, except `active` and `externalId`, which keep their values. */
  replace(data: ClinicData): void {
    this.change({ locale: null, ...data });
  }

  deactivate(): void {
    this.active = false;
  }
}
ClinicSchema.setClass(Clinic);
