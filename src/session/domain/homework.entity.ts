import { defineEntity } from '@mikro-orm/core';
import { columns } from '../../shared/persistence/index.js';

const HomeworkSchema = defineEntity({
  name: 'Homework',
  tableName: 'homework',
  properties: {
    id: columns.id(),
    clinicId: columns.reference(),
    sessionId: columns.reference(),
    bookId: columns.reference(),
    completedAt: columns.instant().nullable().strictNullable(),
  },
});

/** One Book as homework of one Session. */
export class Homework extends HomeworkSchema.class {
  constructor(session: { id: number; clinicId: number }, bookId: number) {
    super();
    this.clinicId = session.clinicId;
    this.sessionId = session.id;
    this.bookId = bookId;
    this.completedAt = null;
  }

  /** The Client has done it. Again changes nothing. */
  complete(now: Temporal.Instant): void {
    this.completedAt ??= now;
  }

  /** It was not done after all. Again changes nothing. */
  reopen(): void {
    this.completedAt = null;
  }
}
HomeworkSchema.setClass(Homework);
