import { defineEntity, p } from '@mikro-orm/core';
import { ConflictError } from '../../shared/errors/index.js';
import { columnTypes } from '../../shared/persistence/index.js';
import { ERASED_PERSON_NAME } from './person.entity.js';
import { changeFields } from './record-version.js';

const clinicProperties = {
  id: columnTypes.keyOwnerId('CLINIC'),
  externalId: p.text().nullable().strictNullable(),
  name: p.text(),
  timeZone: p.text(),
  /** BCP 47 language tag for people without a locale. Null means English. */
  locale: p.text().nullable().strictNullable(),
  active: p.boolean(),
  /** The version of the record: 1 at first, and incremented with each change. Used as the entity tag. */
  version: p.integer(),
  createdAt: columnTypes.instant(),
  /** When the contents of the Clinic were erased. */
  erasedAt: columnTypes.instant().nullable().strictNullable(),
};

/** The fields that an erasure keeps. A new field does not compile until it is erased or here. */
type KeptField = 'id' | 'version' | 'createdAt' | 'erasedAt';
type ClinicContents = Pick<Clinic, Exclude<keyof typeof clinicProperties, KeptField>>;

const ClinicSchema = defineEntity({ name: 'Clinic', tableName: 'clinic', properties: clinicProperties });

type ClinicData = {
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
    this.erasedAt = null;
  }

  /** Changes only the fields that are present. Null clears an optional field. */
  change(data: Partial<ClinicData>): void {
    if (this.erasedAt !== null) throw new ConflictError('The Clinic is erased, and cannot be changed.');
    const { externalId = this.externalId, locale = this.locale } = data;
    const { name = this.name, timeZone = this.timeZone, active = this.active } = data;
    changeFields<Clinic>(this, { externalId, name, timeZone, locale, active } satisfies ClinicContents);
  }

  /** Replaces all fields. Absent fields are cleared, except `active` and `externalId`, which keep their values. */
  replace(data: ClinicData): void {
    this.change({ locale: null, ...data });
  }

  /** Does nothing if the Clinic is already inactive. */
  deactivate(): void {
    if (this.active) this.change({ active: false });
  }

  /** Clears the data of the Clinic. The record remains for the Clinic's audit trail. */
  erase(now: Temporal.Instant): void {
    changeFields<Clinic>(this, { ...ERASED_FIELDS, erasedAt: now });
  }
}
ClinicSchema.setClass(Clinic);

const ERASED_FIELDS: ClinicContents = {
  externalId: null,
  name: ERASED_PERSON_NAME,
  timeZone: 'UTC',
  locale: null,
  active: false,
};
