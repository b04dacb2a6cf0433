// eslint-disable-next-line no-restricted-imports -- Reads Sessions of all Clinics for jobs.
import { EntityManager } from '@mikro-orm/core';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import {
  SessionDataLookup,
  type HomeworkDueDay,
  type SessionSnapshot,
  type SessionMessageDetails,
} from '../../reminder/index.js';
import { UNTRACKED } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { Homework } from '../domain/homework.entity.js';
import { findNextSessionDate } from '../domain/series-order.js';
import { Session } from '../domain/session.entity.js';
import { WITHOUT_TEXTS } from './without-texts.js';

/** Supplies the reminder module with Session data. */
@Injectable()
export class SessionDataProvider implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly lookup: SessionDataLookup,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.lookup.registerSource({
      findMessageDetails: (ids) => this.loadMessageDetails(ids),
      findSnapshots: (ids) => this.loadSnapshots(ids),
      findHomeworkDueDays: (ids) => this.loadHomeworkDueDays(ids),
    });
  }

  private async loadMessageDetails(ids: readonly number[]): Promise<SessionMessageDetails[]> {
    const sessions = await this.em.find(Session, { id: { $in: [...ids] } }, UNTRACKED);
    const now = this.clock.now();
    return (sessions as Session[]).map((session) => {
      const { id: sessionId, title, description, version } = session;
      return { sessionId, title, description, version, ...session.computeCurrentTimes(now) };
    });
  }

  private async loadSnapshots(ids: readonly number[]): Promise<SessionSnapshot[]> {
    const sessions = await this.em.find(Session, { id: { $in: [...ids] } }, WITHOUT_TEXTS);
    const done = { sessionId: { $in: [...ids] }, completedAt: { $ne: null } };
    const homework = await this.em.find(Homework, done, UNTRACKED);
    const doneIds = new Set(homework.map(({ id }) => id));
    return sessions.map((session) => session.toSnapshot(doneIds));
  }

  private async loadHomeworkDueDays(ids: readonly number[]): Promise<HomeworkDueDay[]> {
    const sessions = await this.em.find(Session, { id: { $in: [...ids] } }, WITHOUT_TEXTS);
    const clinicId = { $in: [...new Set(sessions.map((session) => session.clinicId))] };
    const seriesId = { $in: [...new Set(sessions.map((session) => session.seriesId))] };
    const found = await this.em.find(Session, { clinicId, seriesId }, WITHOUT_TEXTS);
    const members = Map.groupBy(found, (one) => one.seriesId);
    return sessions.flatMap((session) => {
      const day = findNextSessionDate(session, members.get(session.seriesId) ?? []);
      return day === null ? [] : [{ sessionId: session.id, day, timeZone: session.timeZone }];
    });
  }
}
