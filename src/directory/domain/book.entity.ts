import { defineEntity, p } from '@mikro-orm/core';
import { columns } from '../../shared/persistence/index.js';

const BookSchema = defineEntity({
  name: 'Book',
  tableName: 'book',
  properties: {
    id: columns.id(),
    /** Null if the Book belongs to the shared catalogue. */
    clinicId: columns.reference().nullable().strictNullable(),
    externalId: p.text().nullable().strictNullable(),
    title: p.text(),
    description: p.text().nullable().strictNullable(),
    /** An https address. */
    link: p.text().nullable().strictNullable(),
    active: p.boolean(),
    createdAt: columns.instant(),
  },
});

export type BookData = {
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
    this.createdAt = now;
  }

  /** Changes only the fields that are present. Null clears an optional field. */
  change(data: Partial<BookData>): void {
    this.title = data.title ?? this.title;
    if (data.externalId !== undefined) this.externalId = data.externalId;
    if (data.description !== undefined) this.description = data.description;
    if (data.link !== undefined) this.link = data.link;
    this.active = data.active ?? this.active;
  }

  /** Replaces all fields. Absent fields are cleared, except `active` and `externalId`, which keep their values. */
  replace(data: BookData): void {
    this.change({ description: null, link: null, ...data });
  }

  deactivate(): void {
    this.active = false;
  }
}
BookSchema.setClass(Book);
