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
    active: p.boolean(),
    createdAt: columns.instant(),
  },
});

export type BookData = { title: string; active?: boolean; externalId?: string | null };

/** A homework Book that belongs to a Clinic or to the shared catalogue. */
export class Book extends BookSchema.class {
  constructor(clinicId: number | null, data: BookData, now: Temporal.Instant) {
    super();
    this.clinicId = clinicId;
    this.externalId = data.externalId ?? null;
    this.title = data.title;
    this.active = data.active ?? true;
    this.createdAt = now;
  }

  /** Changes only the fields that are present. */
  change(data: Partial<BookData>): void {
    this.title = data.title ?? this.title;
    this.active = data.active ?? this.active;
  }

  deactivate(): void {
    this.active = false;
  }
}
BookSchema.setClass(Book);
