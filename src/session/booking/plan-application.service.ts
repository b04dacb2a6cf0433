import { Injectable } from '@nestjs/common';
import { randomUUIDv7 } from 'node:crypto';
import { appointmentTitleOf, DesignPlanReader, type DesignPlan } from '../../design-plan/index.js';
import type { CareProviderPrincipal } from '../../shared/access/index.js';
import { ConflictError, UnprocessableError } from '../../shared/errors/index.js';
import { Clock, parseClockTime, parseSlashDate, resolveRequestZone } from '../../shared/time/index.js';
import type { ApplyPlan } from './dto/apply-plan.js';
import { bookIdsOf, homeworkOf, weeksBetween, withdrawnBooks } from '../domain/plan-weeks.js';
import { SeriesEditor, type ChangeOptions } from '../scheduling/series-editor.js';
import type { SeriesChange } from '../scheduling/series-report.js';
import { SeriesWriter } from '../scheduling/series-writer.js';
import { seriesSlots } from '../domain/series-slots.js';
import { SessionParticipants } from '../scheduling/session-participants.js';
import { SessionSeries } from '../domain/session-series.entity.js';
import { Session, type SeriesData } from '../domain/session.entity.js';
import { rulesOf } from './session-booking.service.js';

/** Applies a whole Design Plan to a Client: one Session a week, its Books as homework, their reminders. */
@Injectable()
export class PlanApplicationService {
  constructor(
    private readonly designPlans: DesignPlanReader,
    private readonly parties: SessionParticipants,
    private readonly writer: SeriesWriter,
    private readonly editor: SeriesEditor,
    private readonly clock: Clock,
  ) {}

  /**
   * All or nothing. The revision applied is kept on the series.
   *
   * @param offset of the request, which may mean the Clinic's zone (`zoneOfRequest`)
   * @throws NotFoundError for a plan of another Clinic, ConflictError for one that is archived
   * @throws UnprocessableError for a Client or Care Provider that the caller cannot use, or weeks that are not there
   * @throws ScheduleConflictError
   */
  applyPlan(
    caller: CareProviderPrincipal,
    planId: number,
    request: ApplyPlan,
    options: ChangeOptions,
    offset?: string,
  ): Promise<SeriesChange> {
    return this.editor.create(options, async () => {
      const plan = await this.requireCurrent(caller, planId);
      const weeks = weeksBetween(plan.weeks, request.fromWeek ?? null, request.toWeek ?? null);
      const parties = await this.parties.lockNew(options.conflicts, caller, request, bookIdsOf(weeks));
      const { clinic, violations, clientZone, bookIds: usable } = parties;
      if (weeks.length === 0) violations.push({ pointer: '/fromWeek', detail: 'the plan has no week in this range' });
      if (violations.length > 0) throw new UnprocessableError(violations);
      const data = seriesData(plan, request, caller.caregiverId);
      const now = this.clock.now();
      const { seriesId: id, caregiverId } = data;
      const series = new SessionSeries({ id, clinicId: clinic.id, caregiverId, ...appliedOf(plan, request) }, now);
      const first = parseSlashDate(request.date)!.toPlainDateTime(parseClockTime(request.time));
      const timeZone = resolveRequestZone(offset, clinic.timeZone, first, now);
      const slots = seriesSlots(first, timeZone, weeks.length, request.intervalDays);
      const orders = weeks.map((week, index) => ({
        session: new Session(data, { position: index + 1, planWeek: week.ordering }, slots[index]!, now),
        homework: homeworkOf(week, usable),
      }));
      const written = await this.writer.write(orders, rulesOf(request), clientZone, now, series);
      return { series, written, warnings: withdrawnBooks(weeks, usable) };
    });
  }

  private async requireCurrent(caller: CareProviderPrincipal, id: number): Promise<Readonly<DesignPlan>> {
    const plan = await this.designPlans.requirePlan(caller, id);
    if (plan.archivedAt !== null)
      throw new ConflictError('The plan is archived: it can only be applied once restored.');
    return plan;
  }
}

function seriesData(plan: Readonly<DesignPlan>, request: ApplyPlan, callerId: number): SeriesData {
  return {
    seriesId: randomUUIDv7(),
    clinicId: plan.clinicId,
    caregiverId: request.caregiverId ?? callerId,
    clientId: request.clientId,
    designPlanId: plan.id,
    title: appointmentTitleOf(plan),
    description: plan.appointmentDesc ?? undefined,
    durationMinutes: request.durationMinutes,
  };
}

function appliedOf(plan: Readonly<DesignPlan>, { fromWeek, toWeek, intervalDays, remindDays, reminders }: ApplyPlan) {
  return { designPlanId: plan.id, revision: plan.revision, fromWeek, toWeek, intervalDays, remindDays, reminders };
}
