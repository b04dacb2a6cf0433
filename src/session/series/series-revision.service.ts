import { Injectable } from '@nestjs/common';
import { collectBookIds, DesignPlanReader, type DesignPlan, type PlanWeek } from '../../design-plan/index.js';
import { Directory } from '../../directory/index.js';
import { ReminderService, type ReminderRule } from '../../reminder/index.js';
import type { StaffPrincipal } from '../../shared/access/index.js';
import { UnprocessableError } from '../../shared/errors/index.js';
import { TenantEntityManager } from '../../shared/persistence/index.js';
import type { ReviseSeries } from './dto/series-operations.js';
import { Homework } from '../domain/homework.entity.js';
import { toNewHomework, selectWeekRange, findWithdrawnBookWarnings } from '../domain/plan-weeks.js';
import { SeriesEditor, type SeriesUpdate } from '../scheduling/series-editor.js';
import type { SeriesChangeOptions } from '../domain/change-options.js';
import type { LockedSeries } from '../domain/locked-series.js';
import type { SeriesChange } from '../scheduling/dto/series-change.js';
import { reviseSchedule, type RevisedSchedule } from '../domain/series-revision.js';
import { SeriesWriter, type SessionWithNewHomework } from '../scheduling/series-writer.js';
import { SessionLookup } from '../scheduling/session-lookup.js';
import type { SessionSeries } from '../domain/session-series.entity.js';
import type { Session } from '../domain/session.entity.js';
import { toHomeworkRules, toReminderRules } from '../domain/reminder-rules.js';

/** Applies newer revisions of a Design Plan to existing series. */
@Injectable()
export class SeriesRevisionService {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly directory: Directory,
    private readonly designPlans: DesignPlanReader,
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
      async (locked) => {
        const { plan, before, after, revision } = await this.findRevisions(locked.series, request.revision);
        const weeks = selectWeekRange(after.weeks, locked.series.fromWeek, locked.series.toWeek);
        locked.series.revise(revision, plan.revision, locked.now);
        const schedule = reviseSchedule(locked, weeks, before, after);
        return this.applySchedule(caller, plan, locked, schedule, weeks);
      },
    );
  }

  private async findRevisions(series: SessionSeries, requested: number | undefined) {
    const applied = series.requireAppliedPlan();
    // The plan exists, because the series refers to it.
    const plan = (await this.designPlans.findPlan(series.clinicId, applied.designPlanId))!;
    const revision = requested ?? plan.revision;
    const before = await this.designPlans.findRevision(plan, applied.revision);
    const after = await this.designPlans.findRevision(plan, revision);
    if (before === null || after === null) {
      throw new UnprocessableError([{ pointer: '/revision', detail: 'must be a revision of the plan' }]);
    }
    return { plan, before, after, revision };
  }

  private async applySchedule(
    caller: StaffPrincipal,
    plan: Readonly<DesignPlan>,
    locked: LockedSeries,
    schedule: RevisedSchedule,
    weeks: readonly PlanWeek[],
  ): Promise<SeriesUpdate> {
    const { series, members, now } = locked;
    const clinic = await this.directory.requireStaffClinic(caller);
    const clientZone = await this.directory.findClientTimeZone(clinic, members[0]!.clientId);
    const usable = await this.directory.findUsableBookIds(plan.clinicId, collectBookIds(weeks));
    const kept = schedule.kept.map(({ session, week }) => ({ session, homework: toNewHomework(week, usable) }));
    await this.reviseHomework(kept, schedule.cancelled, clientZone, now);
    const newSessions = schedule.added.map(({ session, week }) => ({ session, homework: toNewHomework(week, usable) }));
    const rules: ReminderRule[] = toReminderRules({
      remindDays: series.remindDays ?? undefined,
      reminders: series.reminders,
    });
    await this.writer.insertSessionsWithHomework(newSessions, rules, clientZone, now);
    const planned = [...schedule.kept, ...schedule.added].map(({ week }) => week);
    return {
      changed: [...schedule.kept.map(({ session }) => session), ...schedule.cancelled],
      added: newSessions.map(({ session }) => session),
      renumbered: schedule.renumbered,
      warnings: [...schedule.warnings, ...findWithdrawnBookWarnings(planned, usable)],
    };
  }

  /**
   * Replaces the homework of Sessions. Completed homework is kept even if the plan no longer contains it.
   *
   * @param cancelled the Sessions that the same transaction cancels
   */
  private async reviseHomework(
    wanted: readonly SessionWithNewHomework[],
    cancelled: readonly Session[],
    clientZone: string,
    now: Temporal.Instant,
  ): Promise<void> {
    const existing = await this.lookup.findHomework(wanted.map(({ session }) => session));
    const revisions = wanted.map((item) => compareHomework(item, existing.get(item.session.id) ?? []));
    const reminders = revisions.flatMap(({ session, kept, removed }) => {
      const subject = session.toSnapshot();
      const keptRules = kept.map(({ id: homeworkId, planned }) => {
        return { subject, homeworkId, rules: toHomeworkRules(planned, clientZone) };
      });
      return [...keptRules, ...removed.map(({ id: homeworkId }) => ({ subject, homeworkId, rules: [] }))];
    });
    const changedIds = [...wanted.map(({ session }) => session), ...cancelled].map(({ id }) => id);
    await this.reminders.reviseHomeworkReminders(reminders, changedIds, now);
    const removed = revisions.flatMap((revision) => revision.removed);
    const [first] = removed;
    if (first !== undefined)
      await this.em.nativeDelete(Homework, { clinicId: first.clinicId, id: { $in: removed.map(({ id }) => id) } });
    for (const revision of revisions)
      if (revision.removed.length + revision.homework.length > 0) revision.session.recordHomeworkChange(now);
    await this.writer.insertHomework(revisions, clientZone, now);
  }
}

/**
 * Compares the stored homework of a Session with that of its plan week.
 *
 * @returns the stored homework that is kept and removed, and in `homework` that which is to be inserted
 */
function compareHomework({ session, homework }: SessionWithNewHomework, existing: readonly Homework[]) {
  const plannedByBook = new Map(homework.map((planned) => [planned.bookId, planned]));
  const existingBooks = new Set(existing.map(({ bookId }) => bookId));
  return {
    session,
    kept: existing.flatMap(({ id, bookId }) => {
      const planned = plannedByBook.get(bookId);
      return planned === undefined ? [] : [{ id, planned }];
    }),
    removed: existing.filter(({ completedAt, bookId }) => completedAt === null && !plannedByBook.has(bookId)),
    homework: homework.filter(({ bookId }) => !existingBooks.has(bookId)),
  };
}
