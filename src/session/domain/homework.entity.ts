import { defineEntity, p } from '@mikro-orm/core';
import { columnTypes } from '../../shared/persistence/index.js';

const HomeworkSchema = defineEntity({
  name: 'Homework',
  tableName: 'homework',
  properties: {
    id: columnTypes.id(),
    clinicId: columnTypes.reference(),
    sessionId: columnTypes.reference(),
    bookId: columnTypes.reference(),
    completedAt: columnTypes.instant().nullable().strictNullable(),
    /** Starts at 1 and is incremented with each change. Part of the version that synchronised lists contain. */
    version: p.integer(),
  },
});

/** A Book that is assigned in a Session for the Client to work through. */
export class Homework extends HomeworkSchema.class {
  constructor(session: { id: number; clinicId: number }, bookId: number) {
    super();
    this.clinicId = session.clinicId;
    this.sessionId = session.id;
    this.bookId = bookId;
    this.completedAt = null;
    this.version = 1;
  }

  /** Marks the homework as done. Idempotent. @returns whether the homework has changed */
  complete(now: Temporal.Instant): boolean {
    if (this.completedAt !== null) return false;
    this.completedAt = now;
    this.version += 1;
    return true;
  }

  /** Marks the homework as not done. Idempotent. @returns whether the homework has changed */
  reopen(): boolean {
    if (this.completedAt === null) return false;
    this.completedAt = null;
    this.version += 1;
    return true;
  }
}
HomeworkSchema.setClass(Homework);
