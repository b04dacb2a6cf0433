import { defineEntity, p } from '@mikro-orm/core';
import { columns } from '../../shared/persistence/index.js';
import { changeFields } from './record-version.js';

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
    /** The version of the record: 1 at first, and incremented with each change. Used as the entity tag. */
    version: p.integer(),
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
    this.version = 1;
    this.createdAt = now;
  }

  /** Changes only the fields that are present. Null clears an optional field. */
  change(data: Partial<ClinicData>): void {
    const { externalId = this.externalId, locale = this.locale } = data;
    const { name = this.name, timeZone = this.timeZone, active = this.active } = data;
    changeFields<Clinic>(this, { externalId, name, timeZone, locale, active });
  }

  /** Replaces all fields. Absent fields are cleared, except `active` and `externalId`, which keep their values. */
  replace(data: ClinicData): void {
    this.change({ locale: null, ...data });
  }

  deactivate(): void {
    this.change({ active: false });
  }
}
ClinicSchema.setClass(Clinic);
