import { Injectable } from '@nestjs/common';
import { randomUUIDv7 } from 'node:crypto';
import { DesignPlanReader, type DesignPlan } from '../../design-plan/index.js';
import type { CareProviderPrincipal, StaffPrincipal } from '../../shared/access/index.js';
import { ForbiddenError, InvalidRequestError, UnprocessableError } from '../../shared/errors/index.js';
import { TenantEntityManager } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { TITLE_REQUIRED_MESSAGE, type CreateSessions } from './dto/create-sessions.js';
import { toRequestedSlots } from './requested-slots.js';
import { ScheduleConflictFinder } from '../scheduling/schedule-conflict-finder.js';
import type { SeriesChangeOptions, ConflictPolicy } from '../domain/change-options.js';
import type { SeriesChange } from '../scheduling/dto/series-change.js';
import { SeriesEditor } from '../scheduling/series-editor.js';
import { SeriesWriter } from '../scheduling/series-writer.js';
import { SessionParticipants, type NewSessionParticipants } from '../scheduling/session-participants.js';
import { SessionSeries } from '../domain/session-series.entity.js';
import { findReminderWarnings } from '../scheduling/reminder-warnings.js';
import { Session, type SharedSessionValues } from '../domain/session.entity.js';
import { findFixedOffsetWarnings, findSkippedTimeWarnings } from '../domain/time-warnings.js';
import type { ScheduleWarning } from '../domain/schedule-warning.js';
import { toReminderRules } from '../domain/reminder-rules.js';

/** A request from a Care Provider, or from a Clinic on behalf of the Care Provider that the request names. */
type SessionRequest = Omit<CreateSessions, 'id' | 'clinicId'> & { clinicId?: number };

type CreatedSessionIds = { seriesId: string; sessionIds: number[]; warnings: ScheduleWarning[] };

/** Creates Sessions with their homework and reminders. */
@Injectable()
export class SessionBookingService {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly designPlans: DesignPlanReader,
    private readonly participants: SessionParticipants,
    private readonly writer: SeriesWriter,
    private readonly editor: SeriesEditor,
    private readonly conflicts: ScheduleConflictFinder,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates the Sessions of one request as a series, in one transaction (docs/specification.md, "Create Sessions").
   *
   * @param policy whether overlaps with other Sessions are reported or rejected
   * @param offset the `offset` header of the request; `resolveRequestZone` determines the time zone from it
   * @throws ForbiddenError when `clinicId` refers to another Clinic
   * @throws InvalidRequestError when neither the request nor the plan has a title, or a date is after the year 9999
   * @throws UnprocessableError for a Client, Care Provider, plan or Book that the caller cannot use
   * @throws ScheduleConflictError when there are overlaps and the policy is `reject`
   */
  createSessions(
    caller: CareProviderPrincipal,
    request: CreateSessions,
    policy: ConflictPolicy,
    offset?: string,
  ): Promise<CreatedSessionIds> {
    return this.em.transactional(async () => {
      const { series, sessions, now } = await this.prepareSeries(caller, request, policy, offset);
      const books = new Set(request.bookIdList);
      const rules = toReminderRules(request);
      const { reminders, hasOptedOut } = await this.writer.insertSessions(series, sessions, books, rules, now);
      const expected = reminders.filter((reminder) => !hasOptedOut(reminder));
      if (policy === 'reject') await this.conflicts.enforcePolicy(policy, sessions);
      const warnings = [
        ...findFixedOffsetWarnings(sessions),
        ...sessions.flatMap(findSkippedTimeWarnings),
        ...findReminderWarnings(expected, sessions, sessions, now),
      ];
      return { seriesId: series.id, sessionIds: sessions.map((session) => session.id), warnings };
    });
  }

  /**
   * Creates the Sessions of one request and returns them in full. Throws the same errors as `createSessions`.
   *
   * @param caller a Clinic must name a Care Provider, and the Client must be assigned to this Care Provider
   */
  createSeries(
    caller: StaffPrincipal,
    request: SessionRequest,
    options: SeriesChangeOptions,
    offset?: string,
  ): Promise<SeriesChange> {
    return this.editor.create(options, async () => {
      const prepared = await this.prepareSeries(caller, request, options.conflicts, offset);
      const { series, sessions, clientZone, now } = prepared;
      const homework = [...new Set(request.bookIdList)].map((bookId) => ({ bookId, reminders: [] }));
      const newSessions = sessions.map((session) => ({ session, homework }));
      const rules = toReminderRules(request);
      const details = await this.writer.insertSessionsWithHomework(newSessions, rules, clientZone, now, series);
      return { series, sessions, details, warnings: [], now };
    });
  }

  /** Locks the participants, validates the request and builds the series with its Sessions. */
  private async prepareSeries(
    caller: StaffPrincipal,
    request: SessionRequest,
    policy: ConflictPolicy,
    offset: string | undefined,
  ) {
    const participants = await this.participants.lockForCreation(policy, caller, request, request.bookIdList);
    const { clinic, careProviderId, clientZone } = participants;
    if (request.clinicId !== undefined && request.clinicId !== clinic.id) {
      throw new ForbiddenError('Sessions can only be created at your own Clinic.');
    }
    const plan = await this.requireUsableReferences(participants, request);
    const data = toSharedSessionValues(request, clinic.id, careProviderId, plan);
    const now = this.clock.now();
    const times = { offset, clinicZone: clinic.timeZone, now };
    const slots = toRequestedSlots(request, request.sessionCount, times);
    const sessions = slots.map((slot, index) => new Session(data, { position: index + 1 }, slot, now));
    return { series: toSeries(data, request, now), sessions, clientZone, now };
  }

  private async requireUsableReferences(
    { clinic, violations, bookIds }: NewSessionParticipants,
    { designPlanId, bookIdList }: SessionRequest,
  ): Promise<Readonly<DesignPlan> | null> {
    const plan = designPlanId === undefined ? null : await this.designPlans.findPlan(clinic.id, designPlanId);
    if (designPlanId !== undefined && plan === null) {
      violations.push({ pointer: '/designPlanId', detail: 'must be a Design Plan of the Clinic' });
    }
    bookIdList.forEach((bookId, index) => {
      if (!bookIds.has(bookId))
        violations.push({ pointer: `/bookIdList/${index}`, detail: 'must be a Book that the Clinic may use' });
    });
    if (violations.length > 0) throw new UnprocessableError(violations);
    return plan;
  }
}

function toSharedSessionValues(
  request: SessionRequest,
  clinicId: number,
  caregiverId: number,
  plan: Readonly<DesignPlan> | null,
): SharedSessionValues {
  const title = request.title ?? plan?.appointmentTitle?.trim();
  if (title == null) throw new InvalidRequestError([{ pointer: '/title', detail: TITLE_REQUIRED_MESSAGE }]);
  return {
    seriesId: randomUUIDv7(),
    clinicId,
    caregiverId,
    clientId: request.clientId,
    designPlanId: plan?.id,
    title,
    description: request.description ?? plan?.appointmentDesc ?? undefined,
    durationMinutes: request.durationMinutes,
  };
}

function toSeries(
  { seriesId: id, clinicId, caregiverId, designPlanId }: SharedSessionValues,
  request: SessionRequest,
  now: Temporal.Instant,
) {
  const { intervalDays, remindDays, reminders } = request;
  return new SessionSeries({ id, clinicId, caregiverId, designPlanId, intervalDays, remindDays, reminders }, now);
}
