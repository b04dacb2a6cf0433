import { EntityManager } from '@mikro-orm/core';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ReminderSubjects } from '../reminder/index.js';
import { AS_IT_IS } from '../shared/persistence/index.js';
import { Session } from './session.entity.js';

/** Tells the reminders what they remind of. */
@Injectable()
export class SessionSubjects implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly subjects: ReminderSubjects,
  ) {}

  onModuleInit(): void {
    this.subjects.provide(async (ids) => {
      const sessions = await this.em.find(Session, { id: { $in: [...ids] } }, AS_IT_IS);
      return sessions.map(({ id: sessionId, title, description, startsAt, endsAt, version }) => {
        return { sessionId, title, description, startsAt, endsAt, version };
      });
    });
  }
}
