import { EntityManager } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { randomUUIDv7 } from 'node:crypto';
import { z } from 'zod';
import { DesignPlanService, type DesignPlan } from '../design-plan/index.js';
import { Directory } from '../directory/index.js';
import { ReminderService, type ReminderRule } from '../reminder/index.js';
import type { CareProviderPrincipal } from '../shared/access/index.js';
import { ForbiddenError, InvalidRequestError, UnprocessableError, type Violation } from '../shared/errors/index.js';
import { formatInstant, isStorable } from '../shared/persistence/index.js';
import { Clock, parseClockTime, parseSlashDate } from '../shared/time/index.js';
import { afterCursor, instantKey, pageOf, type Page } from '../shared/validation/index.js';
import { TITLE_REQUIRED, type CreateSessions } from './dto/create-sessions.js';
import { viewSession, type SessionModel, type SessionQuery } from './dto/session-model.js';
import { Homework } from './homework.entity.js';
import { seriesSlots, type SessionSlot } from './series.js';
import { Session, type SeriesData } from './session.entity.js';

export type CreatedSeries = { seriesId: string; sessionIds: number[] };

/** Sessions: appointments of Clients with Care Providers, their homework and their reminders. */
@Injectable()
export class SessionService {
  constructor(
    private readonly em: EntityManager,
    private readonly directory: Directory,
    private readonly designPlans: DesignPlanService,
    private readonly reminders: ReminderService,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates the Sessions of one call as a series, with homework and reminders; all or nothing
   * (specification 4.2).
   *
   * @param requestZone where the wall clock of the request stands; undefined: the Clinic's zone
   * @throws ForbiddenError for another Clinic's id
   * @throws InvalidRequestError for an absent title that the plan does not give either, or dates beyond the year 9999
   * @throws UnprocessableError for a Client, Care Provider, plan or Books that the caller cannot use
   */
  createSessions(caller: CareProviderPrincipal, request: CreateSessions, requestZone?: string): Promise<CreatedSeries> {
    return this.em.transactional(async (em) => {
      const { careProvider, clinic } = await this.directory.requireCareProvider(caller);
      if (request.clinicId !== undefined && request.clinicId !== clinic.id) {
        throw new ForbiddenError('Sessions can only be created at your own Clinic.');
      }
      const slots = slotsOf(request, requestZone ?? clinic.timeZone);
      const plan = await this.requireUsable(clinic.id, careProvider.id, request);
      const series = seriesData(request, clinic.id, careProvider.id, plan);
      const now = this.clock.now();
      const sessions = slots.map((slot) => new Session(series, slot, now));
      // Bulk inserts leave the unit of work out; with instances they return every id.
      const ids = (await em.insertMany(sessions)) as number[];
      sessions.forEach((session, index) => (session.id = ids[index]!));
      await this.assignHomework(sessions, request.bookIdList);
      await this.reminders.plan(
        sessions.map((session) => reminderOrder(session)),
        rulesOf(request),
        now,
      );
      return { seriesId: series.seriesId, sessionIds: ids };
    });
  }

  /** The caller's own Sessions and those of their assigned Clients, in the order of their start. */
  listSessions(caller: CareProviderPrincipal, query: SessionQuery): Promise<Page<SessionModel>> {
    return this.em.transactional(async (em) => {
      const { careProvider, clinic } = await this.directory.requireCareProvider(caller);
      const clientIds = await this.directory.assignedClientIds(clinic.id, careProvider.id);
      const visible = { $or: [{ caregiverId: careProvider.id }, { clientId: { $in: clientIds } }] };
      const series = query.seriesId === undefined ? {} : { seriesId: query.seriesId };
      const sessions = await em.find(
        Session,
        { clinicId: clinic.id, ...series, $and: [visible, sessionsAfter(query.cursor)] },
        { orderBy: { startsAt: 'asc', id: 'asc' }, limit: query.limit + 1 },
      );
      const books = await this.booksOf(clinic.id, sessions);
      return pageOf(
        sessions,
        query.limit,
        (session) => [formatInstant(session.startsAt), session.id],
        (session) => viewSession(session, books.get(session.id) ?? []),
      );
    });
  }

  private async requireUsable(clinicId: number, callerId: number, request: CreateSessions): Promise<DesignPlan | null> {
    const { clientId, caregiverId, designPlanId, bookIdList } = request;
    const violations: Violation[] = [];
    if (!(await this.directory.isAssignedClient(clinicId, callerId, clientId))) {
      violations.push({ pointer: '/clientId', detail: 'must be one of your assigned Clients' });
    }
    if (
      caregiverId !== undefined &&
      caregiverId !== callerId &&
      !(await this.directory.hasCareProvider(clinicId, caregiverId))
    ) {
      violations.push({ pointer: '/caregiverId', detail: 'must be a Care Provider of the Clinic' });
    }
    const plan = designPlanId === undefined ? null : await this.designPlans.findPlan(clinicId, designPlanId);
    if (designPlanId !== undefined && plan === null) {
      violations.push({ pointer: '/designPlanId', detail: 'must be a Design Plan of the Clinic' });
    }
    const usable = await this.directory.usableBookIds(clinicId, bookIdList);
    bookIdList.forEach((bookId, index) => {
      if (!usable.has(bookId))
        violations.push({ pointer: `/bookIdList/${index}`, detail: 'must be a Book that the Clinic may use' });
    });
    if (violations.length > 0) throw new UnprocessableError(violations);
    return plan;
  }

  private async assignHomework(sessions: readonly Session[], bookIds: readonly number[]): Promise<void> {
    const books = [...new Set(bookIds)];
    if (books.length === 0) return;
    await this.em.insertMany(sessions.flatMap((session) => books.map((bookId) => new Homework(session, bookId))));
  }

  private async booksOf(clinicId: number, sessions: readonly Session[]): Promise<Map<number, number[]>> {
    const sessionId = { $in: sessions.map((session) => session.id) };
    const homework = await this.em.find(Homework, { clinicId, sessionId }, { orderBy: { id: 'asc' } });
    const bySession = Map.groupBy(homework, (item) => item.sessionId);
    return new Map([...bySession].map(([id, items]) => [id, items.map((item) => item.bookId)]));
  }
}

function slotsOf(request: CreateSessions, timeZone: string): SessionSlot[] {
  const first = parseSlashDate(request.date)!.toPlainDateTime(parseClockTime(request.time));
  const slots = seriesSlots(first, timeZone, request.sessionCount, request.intervalDays);
  if (!slots.every((slot) => isStorable(slot.startsAt))) {
    throw new InvalidRequestError([{ pointer: '/date', detail: 'every Session must be in the years 1 to 9999' }]);
  }
  return slots;
}

function seriesData(request: CreateSessions, clinicId: number, callerId: number, plan: DesignPlan | null): SeriesData {
  const title = request.title ?? plan?.appointmentTitle;
  if (title == null) throw new InvalidRequestError([{ pointer: '/title', detail: TITLE_REQUIRED }]);
  return {
    seriesId: randomUUIDv7(),
    clinicId,
    caregiverId: request.caregiverId ?? callerId,
    clientId: request.clientId,
    designPlanId: plan?.id,
    title,
    description: request.description ?? plan?.appointmentDesc ?? undefined,
    remindDays: request.remindDays,
  };
}

function rulesOf({ remindDays, reminders }: CreateSessions): ReminderRule[] {
  const aroundStart = reminders.map((offset): ReminderRule => ({ kind: 'AROUND_START', offset }));
  return remindDays === undefined ? aroundStart : [{ kind: 'REMIND_DAYS', days: remindDays }, ...aroundStart];
}

function reminderOrder({ id, clinicId, startsAt, timeZone, clientId, caregiverId }: Session) {
  return { sessionId: id, clinicId, startsAt, timeZone, clientId, caregiverId };
}

const sessionKey = z.tuple([instantKey, z.int()]);

function sessionsAfter(cursor: string | undefined) {
  const key = afterCursor(cursor, sessionKey);
  if (key === undefined) return {};
  const [startsAt, id] = key;
  return { $or: [{ startsAt: { $gt: startsAt } }, { startsAt, id: { $gt: id } }] };
}
