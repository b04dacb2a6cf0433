import { defineEntity } from '@mikro-orm/core';
import { columns } from '../shared/persistence/index.js';

const HomeworkSchema = defineEntity({
  name: 'Homework',
  tableName: 'homework',
  properties: {
    id: columns.id(),
    clinicId: columns.reference(),
    sessionId: columns.reference(),
    bookId: columns.reference(),
  },
});

/** One Book as homework of one Session. */
export class Homework extends HomeworkSchema.class {
  constructor(session: { id: number; clinicId: number }, bookId: number) {
    super();
    this.clinicId = session.clinicId;
    this.sessionId = session.id;
    this.bookId = bookId;
  }
}
HomeworkSchema.setClass(Homework);
