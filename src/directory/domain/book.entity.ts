import { defineEntity, p } from '@mikro-orm/core';
import { columnTypes } from '../../shared/persistence/index.js';
import { changeFields } from './record-version.js';

const BookSchema = defineEntity({
  name: 'Book',
  tableName: 'book',
  properties: {
    id: columnTypes.id(),
    /** Null if the Book belongs to the shared catalogue. */
    clinicId: columnTypes.reference().nullable().strictNullable(),
    externalId: p.text().nullable().strictNullable(),
    title: p.text(),
    description: p.text().nullable().strictNullable(),
    /** An https URL where Clients find the Book. */
    link: p.text().nullable().strictNullable(),
    active: p.boolean(),
    /** The version of the record: 1 at first, and incremented with each change. Used as the entity tag. */
    version: p.integer(),
    createdAt: columnTypes.instant(),
  },
});

type BookData = {
  title: string;
  description?: string | null;
  link?: string | null;
  active?: boolean;
  externalId?: string | null;
};

/** A homework Book that belongs to a Clinic or to the shared catalogue. */
export class Book extends BookSchema.class {
  constructor(clinicId: number | null, data: BookData, now: Temporal.Instant) {
    super();
    this.clinicId = clinicId;
    this.externalId = data.externalId ?? null;
    this.title = data.title;
    this.description = data.description ?? null;
    this.link = data.link ?? null;
    this.active = data.active ?? true;
    this.version = 1;
    this.createdAt = now;
  }

  /** Changes only the fields that are present. Null clears an optional field. */
  change(data: Partial<BookData>): void {
    const { externalId = this.externalId, description = this.description, link = this.link } = data;
    const { title = this.title, active = this.active } = data;
    changeFields<Book>(this, { externalId, title, description, link, active });
  }

  /** Replaces all fields. Absent fields are cleared, except `active` and `externalId`, which keep their values. */
  replace(data: BookData): void {
    this.change({ description: null, link: null, ...data });
  }

  deactivate(): void {
    this.change({ active: false });
  }
}
BookSchema.setClass(Book);
