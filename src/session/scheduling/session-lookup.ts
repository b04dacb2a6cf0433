import { raw, type FilterQuery, type RawQueryFragment } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { Directory } from '../../directory/index.js';
import type { StaffPrincipal } from '../../shared/access/index.js';
import { NotFoundError } from '../../shared/errors/index.js';
import {
  FOR_BULK_UPDATE,
  findTransactionClinicId,
  UNTRACKED,
  TenantEntityManager,
} from '../../shared/persistence/index.js';
import { Homework } from '../domain/homework.entity.js';
import { SessionSeries } from '../domain/session-series.entity.js';
import { Session } from '../domain/session.entity.js';
import { WITHOUT_TEXTS } from './without-texts.js';

/**
 * A filter for the Sessions that a caller may see. A Clinic sees all of its Sessions; a Care Provider sees their own
 * Sessions and those of their assigned Clients.
 */
export type VisibleSessionsFilter = {
  clinicId: RawQueryFragment;
  $or?: ({ caregiverId: number } | { clientId: RawQueryFragment })[];
};

/** Finds Sessions, series and homework that a caller may see, within the caller's transaction. */
@Injectable()
export class SessionLookup {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly directory: Directory,
  ) {}

  /** @throws NotFoundError when the Session does not exist or the caller may not see it */
  async requireSession(caller: StaffPrincipal, id: number): Promise<Session> {
    const session = await this.em.findOne(Session, { ...this.visibilityFilter(caller), id }, FOR_BULK_UPDATE);
    if (session !== null) return session;
    await this.directory.requireStaffClinic(caller);
    throw new NotFoundError();
  }

  /** @throws NotFoundError when the series does not exist or the caller may not see all of its Sessions */
  async requireSeries(caller: StaffPrincipal, id: string): Promise<SessionSeries> {
    const clinic = await this.directory.requireStaffClinic(caller);
    const inSeries = { clinicId: clinic.id, seriesId: id };
    const visible = await this.em.count(Session, { ...this.visibilityFilter(caller), ...inSeries });
    // After a reassignment, the previous Care Provider sees only their past Sessions, and must not change the series.
    if (visible === 0 || visible < (await this.em.count(Session, inSeries))) throw new NotFoundError();
    const series = await this.em.findOne(SessionSeries, { clinicId: clinic.id, id }, UNTRACKED);
    if (series === null) throw new NotFoundError();
    return series;
  }

  /**
   * Returns the first Session in a series.
   *
   * @throws NotFoundError when the series does not exist or the caller may not see all of its Sessions
   */
  async requireFirstSession(caller: StaffPrincipal, seriesId: string): Promise<Session> {
    const series = await this.requireSeries(caller, seriesId);
    const session = await this.em.findOne(
      Session,
      { clinicId: series.clinicId, seriesId },
      { ...FOR_BULK_UPDATE, orderBy: { position: 'asc' } },
    );
    if (session === null) throw new NotFoundError();
    return session;
  }

  /** Returns those of the given Sessions that the caller may see, in the same order. */
  async filterVisible(caller: StaffPrincipal, sessions: readonly Session[]): Promise<Session[]> {
    const id = { $in: sessions.map((session) => session.id) };
    const visible = await this.em.find(Session, { ...this.visibilityFilter(caller), id }, WITHOUT_TEXTS);
    const ids = new Set(visible.map((session) => session.id));
    return sessions.filter((session) => ids.has(session.id));
  }

  /**
   * @param sessions Sessions of one Clinic
   * @returns the homework that matches the filter, keyed by Session ID
   */
  async findHomework(
    sessions: readonly Readonly<Session>[],
    filter: FilterQuery<Homework> = {},
  ): Promise<Map<number, Homework[]>> {
    const [first] = sessions;
    if (first === undefined) return new Map();
    const { clinicId } = first;
    const sessionId = { $in: sessions.map((session) => session.id) };
    const where = { clinicId, sessionId, $and: [filter] };
    const homework = await this.em.find(Homework, where, { ...UNTRACKED, orderBy: { id: 'asc' } });
    return Map.groupBy(homework, (item) => item.sessionId);
  }

  visibilityFilter(caller: StaffPrincipal): VisibleSessionsFilter {
    const clinicId = this.directory.buildStaffClinicIdSql(caller);
    if (caller.role === 'CLINIC') return { clinicId };
    const { caregiverId } = caller;
    const assigned = raw('any (select client_id from client_assignment where clinic_id = ? and care_provider_id = ?)', [
      findTransactionClinicId(this.em) ?? clinicId,
      caregiverId,
    ]);
    return { clinicId, $or: [{ caregiverId }, { clientId: assigned }] };
  }
}
