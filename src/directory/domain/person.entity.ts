import { defineEntity, p } from '@mikro-orm/core';
import { columns } from '../../shared/persistence/index.js';

export type PersonData = {
  name: string;
  email?: string | null;
  timeZone?: string | null;
  locale?: string | null;
  active?: boolean;
  externalId?: string | null;
};

const personProperties = {
  id: columns.id(),
  clinicId: columns.reference(),
  externalId: p.text().nullable().strictNullable(),
  name: p.text(),
  email: p.text().nullable().strictNullable(),
  /** IANA zone; null: the Clinic's. */
  timeZone: p.text().nullable().strictNullable(),
  /** BCP 47 language tag; null: English. */
  locale: p.text().nullable().strictNullable(),
  active: p.boolean(),
  createdAt: columns.instant(),
};

const CareProviderSchema = defineEntity({
  name: 'CareProvider',
  tableName: 'care_provider',
  properties: personProperties,
});
const ClientSchema = defineEntity({ name: 'Client', tableName: 'client', properties: personProperties });

/** A Care Provider (caregiver) of one Clinic. */
export class CareProvider extends CareProviderSchema.class {
  constructor(clinicId: number, data: PersonData, now: Temporal.Instant) {
    super();
    Object.assign(this, personFields(clinicId, data, now));
  }

  /** Changes the given fields and leaves the others; null empties a field. */
  change(data: Partial<PersonData>): void {
    Object.assign(this, changedFields(this, data));
  }

  /** Replaces all of it: what is not given is emptied, but `active` stays. */
  replace(data: PersonData): void {
    this.change({ email: null, timeZone: null, locale: null, ...data });
  }

  deactivate(): void {
    this.active = false;
  }
}
CareProviderSchema.setClass(CareProvider);

/** A Client, registered at one Clinic. */
export class Client extends ClientSchema.class {
  constructor(clinicId: number, data: PersonData, now: Temporal.Instant) {
    super();
    Object.assign(this, personFields(clinicId, data, now));
  }

  /** Changes the given fields and leaves the others; null empties a field. */
  change(data: Partial<PersonData>): void {
    Object.assign(this, changedFields(this, data));
  }

  /** Replaces all of it: what is not given is emptied, but `active` stays. */
  replace(data: PersonData): void {
    this.change({ email: null, timeZone: null, locale: null, ...data });
  }

  deactivate(): void {
    this.active = false;
  }
}
ClientSchema.setClass(Client);

function personFields(clinicId: number, data: PersonData, now: Temporal.Instant) {
  return {
    clinicId,
    externalId: data.externalId ?? null,
    name: data.name,
    email: data.email ?? null,
    timeZone: data.timeZone ?? null,
    locale: data.locale ?? null,
    active: data.active ?? true,
    createdAt: now,
  };
}

function changedFields(person: CareProvider | Client, data: Partial<PersonData>) {
  return {
    name: data.name ?? person.name,
    email: data.email === undefined ? person.email : data.email,
    timeZone: data.timeZone === undefined ? person.timeZone : data.timeZone,
    locale: data.locale === undefined ? person.locale : data.locale,
    active: data.active ?? person.active,
  };
}
