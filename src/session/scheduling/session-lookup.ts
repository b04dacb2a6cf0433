import { raw, type FilterQuery, type RawQueryFragment } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { z } from 'zod';
import { Directory } from '../../directory/index.js';
import type { StaffPrincipal } from '../../shared/access/index.js';
import { NotFoundError } from '../../shared/errors/index.js';
import { FOR_BULK_UPDATE, UNTRACKED, formatInstant, TenantEntityManager } from '../../shared/persistence/index.js';
import { parseCursor, instantKeySchema, toPage, type Page } from '../../shared/validation/index.js';
import {
  toSessionModel,
  toSessionWithConflicts,
  type SessionWithConflicts,
  type SessionModel,
} from '../reading/dto/session-model.js';
import type { SessionQuery } from '../reading/dto/session-query.js';
import { Homework } from '../domain/homework.entity.js';
import { ScheduleConflicts } from './schedule-conflicts.js';
import { SessionSeries } from '../domain/session-series.entity.js';
import { Session } from '../domain/session.entity.js';

/** What a caller may see: the Clinic all of its Sessions, a Care Provider their own and those of their assigned Clients. */
type VisibleSessions = {
  clinicId: RawQueryFragment;
  $or?: ({ caregiverId: number } | { clientId: RawQueryFragment })[];
};

/** Reads Sessions, for a Care Provider and for the Clinic. */
@Injectable()
export class SessionReader {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly directory: Directory,
    private readonly conflicts: ScheduleConflicts,
  ) {}

  /** The Sessions that the caller may see, in the order of their start. */
  listSessions(caller: StaffPrincipal, query: SessionQuery): Promise<Page<SessionModel>> {
    return this.em.transactional(async (em) => {
      const sessions = await em.find(
        Session,
        { ...this.visibilityFilter(caller), $and: [toSessionFilter(query), toCursorFilter(query.cursor)] },
        { orderBy: { startsAt: 'asc', id: 'asc' }, limit: query.limit + 1 },
      );
      const homework = await this.findHomework(sessions);
      const remindDays = await this.findRemindDays(sessions);
      // Nothing is to be seen for who may not look, either.
      if (sessions.length === 0) await this.directory.requireStaffClinic(caller);
      return toPage(
        sessions,
        query.limit,
        (session) => [formatInstant(session.startsAt), session.id],
        (session) => toSessionModel(session, homework.get(session.id) ?? [], remindDays.get(session.seriesId) ?? null),
      );
    });
  }

  /** One Session with the overlaps that it has. @throws NotFoundError */
  getSession(caller: StaffPrincipal, id: number): Promise<SessionWithConflicts> {
    return this.em.transactional(async () => this.toDetail(await this.requireSession(caller, id)));
  }

  /** For other services, within their transaction: a Session that the caller may see. @throws NotFoundError */
  async requireSession(caller: StaffPrincipal, id: number): Promise<Session> {
    const session = await this.em.findOne(Session, { ...this.visibilityFilter(caller), id }, FOR_BULK_UPDATE);
    if (session !== null) return session;
    await this.directory.requireStaffClinic(caller);
    throw new NotFoundError();
  }

  /** As the one above, for a series: a Care Provider must be one who may see all of its Sessions. @throws NotFoundError */
  async requireSeries(caller: StaffPrincipal, id: string): Promise<SessionSeries> {
    const clinic = await this.directory.requireStaffClinic(caller);
    const all = { clinicId: clinic.id, seriesId: id };
    const visible = await this.em.count(Session, { ...this.visibilityFilter(caller), ...all });
    // Handed over, its rest is a colleague's: who held its past could move what they may not see.
    if (visible === 0 || visible < (await this.em.count(Session, all))) throw new NotFoundError();
    return this.em.findOneOrFail(SessionSeries, { clinicId: clinic.id, id }, UNTRACKED);
  }

  /** For other services, within their transaction: those of these Sessions that the caller may see, in their order. */
  async filterVisible(caller: StaffPrincipal, sessions: readonly Session[]): Promise<Session[]> {
    const id = { $in: sessions.map((session) => session.id) };
    const seen = await this.em.find(Session, { ...this.visibilityFilter(caller), id });
    const ids = new Set(seen.map((session) => session.id));
    return sessions.filter((session) => ids.has(session.id));
  }

  async toDetail(session: Session): Promise<SessionWithConflicts> {
    const homework = await this.findHomework([session]);
    const remindDays = await this.findRemindDays([session]);
    const overlaps = await this.conflicts.findOverlaps([session]);
    return toSessionWithConflicts(
      session,
      homework.get(session.id) ?? [],
      remindDays.get(session.seriesId) ?? null,
      overlaps,
    );
  }

  /** `remindDays` of the series of Sessions of one Clinic, by the ids of those that have some. */
  private async findRemindDays(sessions: readonly Session[]): Promise<Map<string, number>> {
    const [first] = sessions;
    if (first === undefined) return new Map();
    const ids = [...new Set(sessions.map(({ seriesId }) => seriesId))];
    const { rows } = await sql<{ id: string; remind_days: number }>`
      select id, remind_days from session_series
      where clinic_id = ${first.clinicId} and id = any(${ids}::uuid[]) and remind_days is not null`.execute(
      this.em.getKysely(),
    );
    return new Map(rows.map((row) => [row.id, row.remind_days]));
  }

  /** The homework of Sessions of one Clinic, or what is wanted of it, by their ids. */
  async findHomework(
    sessions: readonly Session[],
    wanted: FilterQuery<Homework> = {},
  ): Promise<Map<number, Homework[]>> {
    const [first] = sessions;
    if (first === undefined) return new Map();
    const { clinicId } = first;
    const sessionId = { $in: sessions.map((session) => session.id) };
    const where = { clinicId, sessionId, $and: [wanted] };
    const homework = await this.em.find(Homework, where, { ...UNTRACKED, orderBy: { id: 'asc' } });
    return Map.groupBy(homework, (item) => item.sessionId);
  }

  private visibilityFilter(caller: StaffPrincipal): VisibleSessions {
    const clinicId = this.directory.staffClinicIdSql(caller);
    if (caller.role === 'CLINIC') return { clinicId };
    const { caregiverId } = caller;
    const assigned = raw('any (select client_id from client_assignment where clinic_id = ? and care_provider_id = ?)', [
      clinicId,
      caregiverId,
    ]);
    return { clinicId, $or: [{ caregiverId }, { clientId: assigned }] };
  }
}

export function toSessionFilter({ from, to, ...equal }: SessionQuery): FilterQuery<Session> {
  const { seriesId, clientId, caregiverId, designPlanId, status } = equal;
  const wanted = Object.entries({ seriesId, clientId, caregiverId, designPlanId, status });
  return {
    ...Object.fromEntries(wanted.filter(([, value]) => value !== undefined)),
    $and: [from === undefined ? {} : { startsAt: { $gte: from } }, to === undefined ? {} : { startsAt: { $lt: to } }],
  };
}

const sessionKey = z.tuple([instantKeySchema, z.int()]);

export function toCursorFilter(cursor: string | undefined): FilterQuery<Session> {
  const key = parseCursor(cursor, sessionKey);
  if (key === undefined) return {};
  const [startsAt, id] = key;
  // The first condition alone says nothing new, but the index can begin there.
  return { startsAt: { $gte: startsAt }, $or: [{ startsAt: { $gt: startsAt } }, { id: { $gt: id } }] };
}
