import { defineEntity, p } from '@mikro-orm/core';
import { ConflictError } from '../../shared/errors/index.js';
import { columnTypes } from '../../shared/persistence/index.js';
import { changeFields } from './record-version.js';

/** The name of an erased record. */
export const ERASED_PERSON_NAME = 'Erased';

export type PersonKind = 'CLIENT' | 'CARE_PROVIDER';
export type PersonRef = { kind: PersonKind; id: number };

/** Returns a key that identifies the person in a Map, such as `CLIENT 12`. */
export function toPersonKey({ kind, id }: PersonRef): string {
  return `${kind} ${id}`;
}

export type PersonData = {
  name: string;
  email?: string | null;
  timeZone?: string | null;
  locale?: string | null;
  active?: boolean;
  externalId?: string | null;
};

const personProperties = (kind: PersonKind) => ({
  id: columnTypes.id(),
  clinicId: columnTypes.reference(),
  externalId: columnTypes.encrypted(kind, 'id').nullable().strictNullable(),
  externalIdDigest: columnTypes.digestOf('externalId').nullable().strictNullable(),
  // The name `Erased` is not encrypted, so that it can be read after the record's key was destroyed.
  name: columnTypes.encrypted(kind, 'id', ERASED_PERSON_NAME),
  email: columnTypes.encrypted(kind, 'id').nullable().strictNullable(),
  /** IANA time zone. Null means the Clinic's time zone. */
  timeZone: p.text().nullable().strictNullable(),
  /** BCP 47 language tag. Null means the Clinic's locale, or English if the Clinic has none. */
  locale: p.text().nullable().strictNullable(),
  active: p.boolean(),
  /** The version of the record: 1 at first, and incremented with each change. Used as the entity tag. */
  version: p.integer(),
  createdAt: columnTypes.instant(),
  /** When the contents of the record were erased. */
  erasedAt: columnTypes.instant().nullable().strictNullable(),
});

type PersonField = keyof ReturnType<typeof personProperties>;
/** The fields that an erasure keeps or that follow from others. A new field does not compile until it is erased or here. */
type KeptField = 'id' | 'clinicId' | 'externalIdDigest' | 'version' | 'createdAt' | 'erasedAt';
type PersonContents = Pick<Client, Exclude<PersonField, KeptField>>;

const CareProviderSchema = defineEntity({
  name: 'CareProvider',
  tableName: 'care_provider',
  properties: personProperties('CARE_PROVIDER'),
});
const ClientSchema = defineEntity({ name: 'Client', tableName: 'client', properties: personProperties('CLIENT') });

/** A Care Provider of a Clinic, called `caregiver` in field names of the specification. */
export class CareProvider extends CareProviderSchema.class {
  constructor(clinicId: number, data: PersonData, now: Temporal.Instant) {
    super();
    Object.assign(this, toFields(clinicId, data, now));
  }

  /** Changes only the fields that are present. Null clears an optional field. */
  change(data: Partial<PersonData>): void {
    requireNotErased(this);
    changeFields<CareProvider>(this, mergeFields(this, data));
  }

  /** Replaces all fields. Absent fields are cleared, except `active` and `externalId`, which keep their values. */
  replace(data: PersonData): void {
    this.change({ email: null, timeZone: null, locale: null, ...data });
  }

  /** Does nothing if the record is already inactive. */
  deactivate(): void {
    if (this.active) this.change({ active: false });
  }

  /** Clears the person's data. The record remains because other records refer to it. */
  erase(now: Temporal.Instant): void {
    changeFields<CareProvider>(this, { ...ERASED_FIELDS, erasedAt: now });
  }
}
CareProviderSchema.setClass(CareProvider);

/** A Client registered with a Clinic. */
export class Client extends ClientSchema.class {
  constructor(clinicId: number, data: PersonData, now: Temporal.Instant) {
    super();
    Object.assign(this, toFields(clinicId, data, now));
  }

  /** Changes only the fields that are present. Null clears an optional field. */
  change(data: Partial<PersonData>): void {
    requireNotErased(this);
    changeFields<Client>(this, mergeFields(this, data));
  }

  /** Replaces all fields. Absent fields are cleared, except `active` and `externalId`, which keep their values. */
  replace(data: PersonData): void {
    this.change({ email: null, timeZone: null, locale: null, ...data });
  }

  /** Does nothing if the record is already inactive. */
  deactivate(): void {
    if (this.active) this.change({ active: false });
  }

  /** Clears the person's data. The record remains because other records refer to it. */
  erase(now: Temporal.Instant): void {
    changeFields<Client>(this, { ...ERASED_FIELDS, erasedAt: now });
  }
}
ClientSchema.setClass(Client);

export function toPersonRef(person: CareProvider | Client): PersonRef {
  return { kind: person instanceof Client ? 'CLIENT' : 'CARE_PROVIDER', id: person.id };
}

function toFields(clinicId: number, data: PersonData, now: Temporal.Instant): Pick<Client, Exclude<PersonField, 'id'>> {
  return {
    clinicId,
    externalId: data.externalId ?? null,
    externalIdDigest: null,
    name: data.name,
    email: data.email ?? null,
    timeZone: data.timeZone ?? null,
    locale: data.locale ?? null,
    active: data.active ?? true,
    version: 1,
    createdAt: now,
    erasedAt: null,
  };
}

const ERASED_FIELDS: PersonContents = {
  externalId: null,
  name: ERASED_PERSON_NAME,
  email: null,
  timeZone: null,
  locale: null,
  active: false,
};

/** @throws ConflictError if the record is erased */
function requireNotErased({ erasedAt }: CareProvider | Client): void {
  if (erasedAt !== null) throw new ConflictError('The record is erased, and cannot be changed.');
}

function mergeFields(person: CareProvider | Client, data: Partial<PersonData>): PersonContents {
  return {
    externalId: data.externalId === undefined ? person.externalId : data.externalId,
    name: data.name ?? person.name,
    email: data.email === undefined ? person.email : data.email,
    timeZone: data.timeZone === undefined ? person.timeZone : data.timeZone,
    locale: data.locale === undefined ? person.locale : data.locale,
    active: data.active ?? person.active,
  };
}
