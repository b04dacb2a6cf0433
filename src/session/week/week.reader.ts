import { Injectable } from '@nestjs/common';
import { PersonNameReader, TimeZoneReader } from '../../directory/index.js';
import type { ClientPrincipal, StaffPrincipal } from '../../shared/access/index.js';
import { sendTogether, toOneOfFilters, TenantEntityManager } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { Session } from '../domain/session.entity.js';
import { SessionDetailsLoader, type RequestedSessionDetails } from '../include/session-details.loader.js';
import { SessionLookup, type VisibleSessionsFilter } from '../scheduling/session-lookup.js';
import {
  toClientWeekModel,
  toWeekModel,
  type ClientWeekModel,
  type WeekContent,
  type WeekModel,
} from './dto/week-model.js';
import type { ClientWeekQuery, WeekQuery } from './dto/week-query.js';
import { createWeekRange, type WeekRange } from './week-range.js';

type OwnSessions = { clinicId: number; clientId: number };

/** The maximum number of Sessions in one week. */
const MAX_SESSIONS = 1_000;

/**
 * Reads the Sessions of a week with all data that a weekly calendar shows. This takes four statements: the caller's
 * Clinic and time zone, the Sessions, their details, and the names.
 */
@Injectable()
export class WeekReader {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly timeZones: TimeZoneReader,
    private readonly lookup: SessionLookup,
    private readonly details: SessionDetailsLoader,
    private readonly names: PersonNameReader,
    private readonly clock: Clock,
  ) {}

  /** Returns the Sessions of a week that the Care Provider or Clinic may see. */
  getWeek(caller: StaffPrincipal, query: WeekQuery): Promise<WeekModel> {
    return this.em.transactional(async () => {
      const { timeZone } = await this.timeZones.requireCallerZone(caller);
      const week = createWeekRange(query.from, query.timeZone ?? timeZone, this.clock.now());
      const { caregiverId } = query;
      const where = {
        ...this.lookup.visibilityFilter(caller),
        ...toOneOfFilters({ caregiverId }),
      };
      const wanted: RequestedSessionDetails = { homework: true, conflicts: true, remindersFor: caller };
      return toWeekModel(await this.readContent(week, where, wanted));
    });
  }

  /** Returns the Client's own Sessions of a week, without overlaps and without the Care Provider's reminders. */
  getClientWeek(caller: ClientPrincipal, query: ClientWeekQuery): Promise<ClientWeekModel> {
    return this.em.transactional(async () => {
      const { clinicId, timeZone } = await this.timeZones.requireCallerZone(caller);
      const week = createWeekRange(query.from, query.timeZone ?? timeZone, this.clock.now());
      const where = { clinicId, clientId: caller.clientId };
      return toClientWeekModel(await this.readContent(week, where, { homework: true, remindersFor: caller }));
    });
  }

  private async readContent(
    week: WeekRange,
    visible: VisibleSessionsFilter | OwnSessions,
    wanted: RequestedSessionDetails,
  ): Promise<WeekContent> {
    const startsAt = { $gte: week.startsAt, $lt: week.endsAt };
    const found = await this.em.find(
      Session,
      { ...visible, startsAt },
      { orderBy: { startsAt: 'asc', id: 'asc' }, limit: MAX_SESSIONS + 1 },
    );
    const sessions = found.slice(0, MAX_SESSIONS);
    const [details, names] = await sendTogether([
      () => this.details.load(sessions, wanted),
      () => this.findNames(sessions),
    ]);
    return { week, sessions, details, names, isTruncated: found.length > MAX_SESSIONS };
  }

  private async findNames(sessions: readonly Session[]) {
    const clientIds = sessions.map(({ clientId }) => clientId);
    const careProviderIds = sessions.map(({ caregiverId }) => caregiverId);
    return this.names.findByIds(sessions[0]?.clinicId ?? 0, { clientIds, careProviderIds });
  }
}
