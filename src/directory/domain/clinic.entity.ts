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
    /** BCP 47 language tag, used for people without a language of their own; null: English. */
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

/** A Clinic: the tenant. All other records belong to a Clinic, except Books of the shared catalogue. */
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

  /** Changes the fields that are present; null clears a field. */
  change(data: Partial<ClinicData>): void {
    this.name = data.name ?? this.name;
    this.timeZone = data.timeZone ?? this.timeZone;
    if (data.locale !== undefined) this.locale = data.locale;
    this.active = data.active ?? this.active;
  }

  /** Replaces all fields: absent ones are cleared, except `active`, which stays. */
  replace(data: ClinicData): void {
    this.change({ locale: null, ...data });
  }

  deactivate(): void {
    this.active = false;
  }
}
ClinicSchema.setClass(Clinic);
