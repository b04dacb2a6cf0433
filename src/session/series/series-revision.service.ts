import { Injectable } from '@nestjs/common';
import { DesignPlanService, type DesignPlan, type PlanWeek } from '../../design-plan/index.js';
import { Directory } from '../../directory/index.js';
import { ReminderService, type ReminderRule } from '../../reminder/index.js';
import type { StaffPrincipal } from '../../shared/access/index.js';
import { UnprocessableError } from '../../shared/errors/index.js';
import { TenantEntityManager } from '../../shared/persistence/index.js';
import type { ReviseSeries } from './dto/series-operations.js';
import { Homework } from '../domain/homework.entity.js';
import { collectBookIds, toNewHomework, selectWeekRange, findWithdrawnBookWarnings } from '../domain/plan-weeks.js';
import { SeriesEditor, type SeriesUpdate } from '../scheduling/series-editor.js';
import type { SeriesChangeOptions } from '../domain/change-options.js';
import type { LockedSeries } from '../domain/locked-series.js';
import type { SeriesChange } from '../scheduling/dto/series-change.js';
import { reviseSchedule, type RevisedSchedule } from '../domain/series-revision.js';
import { SeriesWriter } from '../scheduling/series-writer.js';
import type { NewHomework } from '../domain/plan-weeks.js';
import { SessionLookup } from '../scheduling/session-lookup.js';
import type { SessionSeries } from '../domain/session-series.entity.js';
import { toReminderRules } from '../domain/reminder-rules.js';
import type { Session } from '../domain/session.entity.js';

/** Applies newer revisions of a Design Plan to existing series. */
@Injectable()
export class SeriesRevisionService {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly directory: Directory,
    private readonly designPlans: DesignPlanService,
    private readonly lookup: SessionLookup,
    private readonly reminders: ReminderService,
    private readonly writer: SeriesWriter,
    private readonly editor: SeriesEditor,
  ) {}

  /**
   * Applies a newer revision of the plan to a series. Past Sessions do not change. Each upcoming Session keeps its plan
   * week and gets the new homework for that week. Sessions of removed weeks are cancelled, and new weeks that are not
   * in the past get new Sessions.
   *
   * @throws ConflictError when no plan was applied, or the revision is not newer
   * @throws UnprocessableError when the plan has no such revision
   */
  revise(
    caller: StaffPrincipal,
    id: string,
    request: ReviseSeries,
    options: SeriesChangeOptions,
  ): Promise<SeriesChange> {
    return this.editor.edit(
      options,
      () => this.lookup.requireFirstSession(caller, id),
      async (open) => {
        const { plan, before, after, revision } = await this.findRevisions(open.series, request.revision);
        const weeks = selectWeekRange(after.weeks, open.series.fromWeek, open.series.toWeek);
        open.series.revise(revision, plan.revision, open.now);
        const schedule = reviseSchedule(open, weeks, before, after);
        return this.applySchedule(caller, plan, open, schedule, weeks);
      },
    );
  }

  private async findRevisions(series: SessionSeries, asked: number | undefined) {
    const applied = series.requireAppliedPlan();
    // The plan exists, because the series refers to it.
    const plan = (await this.designPlans.findPlan(series.clinicId, applied.designPlanId))!;
    const revision = asked ?? plan.revision;
    const before = await this.designPlans.findContent(plan, applied.revision);
    const after = await this.designPlans.findContent(plan, revision);
    if (before === null || after === null) {
      throw new UnprocessableError([{ pointer: '/revision', detail: 'must be a revision of the plan' }]);
    }
    return { plan, before, after, revision };
  }

  private async applySchedule(
    caller: StaffPrincipal,
    plan: Readonly<DesignPlan>,
    open: LockedSeries,
    schedule: RevisedSchedule,
    weeks: readonly PlanWeek[],
  ): Promise<SeriesUpdate> {
    const { series, members, now } = open;
    const clinic = await this.directory.requireStaffClinic(caller);
    const clientZone = await this.directory.findClientTimeZone(clinic, members[0]!.clientId);
    const usable = await this.directory.findUsableBookIds(plan.clinicId, collectBookIds(weeks));
    for (const { session, week } of schedule.kept) {
      await this.reviseHomework(session, toNewHomework(week, usable), clientZone, now);
    }
    const orders = schedule.added.map(({ session, week }) => ({ session, homework: toNewHomework(week, usable) }));
    const rules: ReminderRule[] = toReminderRules({
      remindDays: series.remindDays ?? undefined,
      reminders: series.reminders,
    });
    await this.writer.insertSessionsWithHomework(orders, rules, clientZone, now);
    const planned = [...schedule.kept, ...schedule.added].map(({ week }) => week);
    return {
      changed: [...schedule.kept.map(({ session }) => session), ...schedule.cancelled],
      added: orders.map(({ session }) => session),
      renumbered: schedule.renumbered,
      warnings: [...schedule.warnings, ...findWithdrawnBookWarnings(planned, usable)],
    };
  }

  /** Replaces the homework of a Session. Completed homework is kept even if the plan no longer contains it. */
  private async reviseHomework(
    session: Session,
    wanted: readonly NewHomework[],
    clientZone: string,
    now: Temporal.Instant,
  ): Promise<void> {
    const { clinicId, id: sessionId } = session;
    const existing = await this.em.find(Homework, { clinicId, sessionId });
    const orders = new Map(wanted.map((order) => [order.bookId, order]));
    const removed = existing.filter((item) => item.completedAt === null && !orders.has(item.bookId));
    await this.reminders.withdrawByHomework(
      clinicId,
      removed.map((item) => item.id),
      now,
    );
    for (const item of removed) this.em.remove(item);
    for (const { id, bookId } of existing) {
      const rules = orders
        .get(bookId)
        ?.reminders.map((at) => ({ kind: 'HOMEWORK' as const, bookId, ...at, timeZone: clientZone }));
      if (rules !== undefined) await this.reminders.reviseHomeworkReminders(session.toSnapshot(), id, rules, now);
    }
    const given = new Set(existing.map((item) => item.bookId));
    const homework = wanted.filter((order) => !given.has(order.bookId));
    if (removed.length + homework.length > 0) session.recordHomeworkChange(now);
    await this.writer.insertHomework([{ session, homework }], clientZone, now);
  }
}
