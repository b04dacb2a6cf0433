import { EntityManager } from '@mikro-orm/core';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ReminderSubjects } from '../reminder/index.js';
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
      const sessions = await this.em.find(Session, { id: { $in: [...ids] } }, { disableIdentityMap: true });
      return sessions.map(({ id: sessionId, title, description, startsAt, endsAt, version }) => {
        return { sessionId, title, description, startsAt, endsAt, version };
      });
    });
  }
}
