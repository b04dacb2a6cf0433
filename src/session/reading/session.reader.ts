import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { Directory } from '../../directory/index.js';
import type { StaffPrincipal } from '../../shared/access/index.js';
import { formatInstant, sendTogether, TenantEntityManager } from '../../shared/persistence/index.js';
import { countItemsIfRequested, toPage, type SyncPage } from '../../shared/validation/index.js';
import { Session } from '../domain/session.entity.js';
import { omitIncludes, type StaffReadQuery } from '../include/include-names.js';
import { IncludeLoader } from '../include/include.loader.js';
import { ScheduleConflictFinder } from '../scheduling/schedule-conflict-finder.js';
import { SessionLookup } from '../scheduling/session-lookup.js';
import { toSessionModel, type SessionModel, type SessionWithConflicts } from './dto/session-model.js';
import type { SessionQuery } from './dto/session-query.js';
import { toSessionCursorFilter, toSessionFilter } from './session-filters.js';
import { SessionSyncReader } from './session-sync.reader.js';

/** Reads Sessions on behalf of a Care Provider or Clinic. */
@Injectable()
export class SessionReader {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly directory: Directory,
    private readonly conflicts: ScheduleConflictFinder,
    private readonly lookup: SessionLookup,
    private readonly sync: SessionSyncReader,
    private readonly includes: IncludeLoader,
  ) {}

  /** Returns the Sessions that the caller may see or, for a synchronisation, the changes in this list. */
  listSessions(caller: StaffPrincipal, query: SessionQuery): Promise<SyncPage<SessionModel>> {
    return this.em.transactional(async (em) => {
      const pass = this.sync.openPass(caller, query);
      const visible = this.lookup.visibilityFilter(caller);
      if (pass !== undefined) {
        const { id: clinicId } = await this.directory.requireStaffClinic(caller);
        const scope = { clinicId, visible, ...(caller.role !== 'CLINIC' && { careProviderId: caller.caregiverId }) };
        return this.sync.readPage(pass, scope, query, (found) => this.toModels(caller, found, query));
      }
      const { field, direction } = query.sort;
      const listed = { ...visible, $and: [toSessionFilter(query)] };
      const sessions = await em.find(
        Session,
        { ...visible, $and: [toSessionFilter(query), toSessionCursorFilter(query.cursor, query.sort)] },
        { orderBy: { [field]: direction, id: direction }, limit: query.limit + 1 },
      );
      const models = await this.toModels(caller, sessions, query);
      // The list may also be empty because the caller is deactivated, which is an error.
      if (sessions.length === 0) await this.directory.requireStaffClinic(caller);
      const count = await countItemsIfRequested(query.count, (maximum) => em.countUpTo(Session, listed, maximum));
      const keyOf = (session: Session) => [formatInstant(session[field]), session.id];
      return { ...toPage(sessions, query.limit, keyOf, ({ id }) => models.get(id)!, query.sort), ...count };
    });
  }

  /**
   * Converts Sessions of one Clinic to response models, keyed by Session ID.
   *
   * @param caller the caller whose reminders are included; if undefined, no reminders are included
   */
  async toModels(
    caller: StaffPrincipal | undefined,
    sessions: readonly Readonly<Session>[],
    { include }: StaffReadQuery,
  ): Promise<Map<number, SessionModel>> {
    const [homework, remindDays] = await sendTogether([
      () => this.lookup.findHomework(sessions),
      () => this.findRemindDays(sessions),
    ]);
    const viewer = caller && { remindersFor: caller };
    const included = await this.includes.load(sessions, { include, homework, ...viewer });
    return new Map(
      sessions.map((session) => {
        const { id, seriesId } = session;
        const model = toSessionModel(session, homework.get(id) ?? [], remindDays.get(seriesId) ?? null);
        return [id, { ...model, ...included.getFields(session) }];
      }),
    );
  }

  /**
   * Returns one Session with its overlaps, at most `MAX_LISTED_CONFLICTS` of them.
   *
   * @throws NotFoundError if the Session does not exist or the caller may not see it
   */
  getSession(caller: StaffPrincipal, id: number, query: StaffReadQuery): Promise<SessionWithConflicts> {
    return this.em.transactional(async () => {
      const session = await this.lookup.requireSession(caller, id);
      return this.toDetail(caller, session, query);
    });
  }

  private async toDetail(
    caller: StaffPrincipal,
    session: Session,
    { include }: StaffReadQuery,
  ): Promise<SessionWithConflicts> {
    // This response always contains overlaps, and more of them than a list, so `include` does not load them.
    const others = { include: omitIncludes(include, 'conflicts') };
    const [overlaps, models] = await sendTogether([
      () => this.conflicts.findOverlaps([session]),
      () => this.toModels(caller, [session], others),
    ]);
    return { ...models.get(session.id)!, ...overlaps };
  }

  /**
   * Returns `remindDays` keyed by series ID, omitting series without this setting. All Sessions must be in one Clinic.
   */
  private async findRemindDays(sessions: readonly Readonly<Session>[]): Promise<Map<string, number>> {
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
}
