import { Injectable } from '@nestjs/common';
import { randomUUIDv7 } from 'node:crypto';
import { collectBookIds, getAppointmentTitle, DesignPlanReader, type DesignPlan } from '../../design-plan/index.js';
import type { StaffPrincipal } from '../../shared/access/index.js';
import { UnprocessableError, type Violation } from '../../shared/errors/index.js';
import { Clock } from '../../shared/time/index.js';
import type { ApplyPlan } from './dto/apply-plan.js';
import { toRequestedSlots } from './requested-slots.js';
import { toNewHomework, selectWeekRange, findWithdrawnBookWarnings } from '../domain/plan-weeks.js';
import { SeriesEditor } from '../scheduling/series-editor.js';
import type { SeriesChangeOptions } from '../domain/change-options.js';
import type { SeriesChange } from '../scheduling/dto/series-change.js';
import { SeriesWriter } from '../scheduling/series-writer.js';
import { SessionParticipants } from '../scheduling/session-participants.js';
import { SessionSeries } from '../domain/session-series.entity.js';
import { Session, type SharedSessionValues } from '../domain/session.entity.js';
import { toReminderRules } from '../domain/reminder-rules.js';

/**
 * Applies Design Plans to Clients: creates one Session per week, with the week's Books as homework and their reminders.
 */
@Injectable()
export class ApplyPlanService {
  constructor(
    private readonly designPlans: DesignPlanReader,
    private readonly participants: SessionParticipants,
    private readonly writer: SeriesWriter,
    private readonly editor: SeriesEditor,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates the series in one transaction. The series records the number of the applied revision.
   *
   * @param offset the `offset` header of the request; `resolveRequestZone` determines the time zone from it
   * @throws NotFoundError when the plan does not exist or belongs to another Clinic
   * @throws ConflictError when the plan is archived or a template
   * @throws UnprocessableError for a Client or Care Provider that the caller cannot use, or when the plan has no week
   *   in the range
   * @throws ScheduleConflictError when there are overlaps and the policy is `reject`
   */
  applyPlan(
    caller: StaffPrincipal,
    planId: number,
    request: ApplyPlan,
    options: SeriesChangeOptions,
    offset?: string,
  ): Promise<SeriesChange> {
    return this.editor.create(options, async () => {
      const plan = await this.designPlans.requirePlan(caller, planId);
      plan.requireApplicable();
      const weeks = selectWeekRange(plan.weeks, request.fromWeek ?? null, request.toWeek ?? null);
      const bookIds = collectBookIds(weeks);
      const participants = await this.participants.lockForCreation(options.conflicts, caller, request, bookIds);
      const { clinic, careProviderId, violations, clientZone, bookIds: usableBookIds } = participants;
      if (weeks.length === 0) violations.push(toEmptyRangeViolation(plan, request));
      if (violations.length > 0) throw new UnprocessableError(violations);
      const now = this.clock.now();
      const data = toSharedSessionValues(plan, request, careProviderId);
      const series = toSeries(data, plan, request, now);
      const slots = toRequestedSlots(request, weeks.length, { offset, clinicZone: clinic.timeZone, now });
      const newSessions = weeks.map((week, index) => ({
        session: new Session(data, { position: index + 1, planWeek: week.ordering }, slots[index]!, now),
        homework: toNewHomework(week, usableBookIds),
      }));
      const rules = toReminderRules(request);
      const details = await this.writer.insertSessionsWithHomework(newSessions, rules, clientZone, now, series);
      const sessions = newSessions.map(({ session }) => session);
      return { series, sessions, details, warnings: findWithdrawnBookWarnings(weeks, usableBookIds), now };
    });
  }
}

/** Names the limit that was given. A plan without weeks has none in any range. */
function toEmptyRangeViolation({ weeks }: Readonly<DesignPlan>, { fromWeek, toWeek }: ApplyPlan): Violation {
  const field = fromWeek === undefined && toWeek !== undefined ? 'toWeek' : 'fromWeek';
  return { pointer: `/${field}`, detail: `the plan has no ${weeks.length === 0 ? 'weeks' : 'week in this range'}` };
}

function toSharedSessionValues(
  plan: Readonly<DesignPlan>,
  request: ApplyPlan,
  caregiverId: number,
): SharedSessionValues {
  return {
    seriesId: randomUUIDv7(),
    clinicId: plan.clinicId,
    caregiverId,
    clientId: request.clientId,
    designPlanId: plan.id,
    title: getAppointmentTitle(plan),
    description: plan.appointmentDesc ?? undefined,
    durationMinutes: request.durationMinutes,
  };
}

function toSeries(
  { seriesId: id, clinicId, caregiverId }: SharedSessionValues,
  { id: designPlanId, revision }: Readonly<DesignPlan>,
  { fromWeek, toWeek, intervalDays, remindDays, reminders }: ApplyPlan,
  now: Temporal.Instant,
): SessionSeries {
  const settings = { designPlanId, revision, fromWeek, toWeek, intervalDays, remindDays, reminders };
  return new SessionSeries({ id, clinicId, caregiverId, ...settings }, now);
}
