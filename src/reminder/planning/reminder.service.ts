import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { sql, type RawBuilder } from 'kysely';
import {
  FOR_BULK_UPDATE,
  bulkInsert,
  executeDeferred,
  sendTogether,
  TenantEntityManager,
  bulkUpdate,
} from '../../shared/persistence/index.js';
import { Tracing } from '../../shared/tracing/index.js';
import { DueTimeCache } from '../domain/due-time-cache.js';
import { RECIPIENT_KINDS } from '../domain/reminder-kinds.js';
import { getRecipientId, toRuleKey, type ReminderRule } from '../domain/reminder-rule.js';
import { TIME_DEPENDENT_SKIP_REASONS, STILL_SENDABLE_STATUSES } from '../domain/reminder-status.js';
import { createErasureNotice } from '../domain/erasure-notice.js';
import { Reminder } from '../domain/reminder.entity.js';
import type { SessionRecipients, SessionSnapshot } from '../domain/session-data.js';
import { assertStorableDueTimes } from '../domain/storable-due-times.js';
import { toRecipientsFilter, toRecipientsSql, type Recipients } from './recipient-filter.js';
import { rescheduleReminders, shareNewMessages } from './reschedule-reminders.js';
import { TimeSettingsByRecipient, TimeSettingsReader, toRecipients } from './time-settings-reader.js';

/** A homework reminder that is to be planned. */
export type NewHomeworkReminder = {
  subject: SessionSnapshot;
  homeworkId: number;
  rule: ReminderRule & { kind: 'HOMEWORK' };
};

/** Homework of a Session, and the rules of all reminders that it is to have. Without rules, it has no reminders. */
type HomeworkRevision = Omit<NewHomeworkReminder, 'rule'> & { rules: readonly NewHomeworkReminder['rule'][] };

/** The reminders that are to be planned. Every rule applies to each of the Sessions. */
type RemindersToPlan = {
  sessions: readonly SessionSnapshot[];
  rules: readonly ReminderRule[];
  homework: readonly NewHomeworkReminder[];
};

/**
 * JSON pointers to the request fields that determine the due times of the reminders of Sessions and of homework; absent if
 * there are no such fields.
 */
type DueTimePointers = { sessions?: string | undefined; homework?: string | undefined };

/** Reminders that were planned for Sessions, and the settings of their recipients. */
export type PlannedReminders = { reminders: Reminder[]; settings: TimeSettingsByRecipient };

/** Locks the rows, so no reminder is sent in the meantime, in ID order, to avoid deadlocks. */
const LOCKED_FOR_BULK_UPDATE = {
  lockMode: LockMode.PESSIMISTIC_WRITE,
  orderBy: { id: 'asc' },
  ...FOR_BULK_UPDATE,
} as const;

/**
 * Plans reminders and adapts them to changes to their Sessions and homework. All methods run in the caller's
 * transaction. Sessions that are passed together must belong to the same Clinic.
 */
@Injectable()
export class ReminderService {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly timeSettings: TimeSettingsReader,
    private readonly tracing: Tracing,
  ) {}

  /** Lets callers read the time settings before the Sessions have IDs. */
  findTimeSettings(sessions: readonly SessionRecipients[]): Promise<TimeSettingsByRecipient> {
    return this.timeSettings.findForSessions(sessions, false);
  }

  /**
   * Plans the reminders of new Sessions and of new homework. Each rule of a Session has two reminders: one for the Client
   * and one for the Care Provider. Reminders of homework are for the Client only.
   *
   * Source: docs/decisions.md, "`remindDays`".
   *
   * @param knownSettings the result of `findTimeSettings`, if the caller already has it
   * @returns the reminders of the Sessions, then those of the homework
   * @throws InvalidRequestError if a reminder would be due outside the years 1 to 9999 and a pointer is given
   * @throws ConflictError if a reminder would be due outside these years and no pointer is given
   */
  async plan(
    { sessions, rules, homework }: RemindersToPlan,
    now: Temporal.Instant,
    knownSettings?: TimeSettingsByRecipient,
    pointers: DueTimePointers = {},
  ): Promise<Reminder[]> {
    const subjects = [...(rules.length === 0 ? [] : sessions), ...homework.map(({ subject }) => subject)];
    if (subjects.length === 0) return [];
    const settings = knownSettings ?? (await this.findTimeSettings(subjects));
    const dueTimes = new DueTimeCache(now);
    const ofSessions = sessions.flatMap((session) =>
      rules.flatMap((rule) => {
        const dueAt = dueTimes.get(rule, session);
        return RECIPIENT_KINDS.map((kind) => {
          const recipientSettings = settings.get(kind, getRecipientId(session, kind));
          return new Reminder(session, kind, rule, now, null, recipientSettings, dueAt);
        });
      }),
    );
    const ofHomework = homework.map(({ subject, homeworkId, rule }) => {
      const clientSettings = settings.get('CLIENT', subject.clientId);
      return new Reminder(subject, 'CLIENT', rule, now, homeworkId, clientSettings, dueTimes.get(rule, subject));
    });
    assertStorableDueTimes(ofSessions, pointers.sessions);
    assertStorableDueTimes(ofHomework, pointers.homework);
    const reminders = [...ofSessions, ...ofHomework];
    await this.insert(reminders);
    return reminders;
  }

  /**
   * Plans a notice to the Care Provider about each Session that is cancelled by the erasure of its Client. Notices that
   * are due together become one message.
   */
  async planErasureNotices(sessions: readonly SessionSnapshot[], now: Temporal.Instant): Promise<void> {
    if (sessions.length === 0) return;
    const settings = await this.findTimeSettings(sessions);
    await this.insert(
      sessions.map((session) => createErasureNotice(session, now, settings.get('CARE_PROVIDER', session.caregiverId))),
    );
  }

  /** Locks the reminders of Sessions, so that none is sent before the transaction ends. Reads them and their settings. */
  async lockPlanned(sessions: readonly SessionSnapshot[]): Promise<PlannedReminders> {
    const [first] = sessions;
    if (first === undefined) return { reminders: [], settings: new TimeSettingsByRecipient(new Map()) };
    const where = { clinicId: first.clinicId, sessionId: { $in: sessions.map(({ sessionId }) => sessionId) } };
    const [reminders, preferences] = await sendTogether([
      () => this.em.find(Reminder, where, LOCKED_FOR_BULK_UPDATE),
      () => this.timeSettings.findPreferences(first.clinicId, toRecipients(sessions)),
    ]);
    const settings = await this.timeSettings.resolve(
      preferences,
      reminders.some(({ kind }) => kind === 'HOMEWORK'),
    );
    return { reminders, settings };
  }

  /**
   * Adapts the reminders of Sessions that were moved, cancelled, paused, restored or given to another Care Provider, or
   * whose homework was completed. Unsent reminders are updated; reminders that were sent get a successor if the new due
   * time is in the future.
   *
   * @param planned the result of `lockPlanned` for these Sessions
   * @param pointer JSON pointer to the request field that determines the times; absent if there is no such field
   * @returns all reminders of these Sessions, in the order in which they were planned
   * @throws InvalidRequestError if a reminder would be due outside the years 1 to 9999 and a pointer is given
   * @throws ConflictError if a reminder would be due outside these years and no pointer is given
   */
  async reschedule(
    sessions: readonly SessionSnapshot[],
    { reminders, settings }: PlannedReminders,
    now: Temporal.Instant,
    pointer?: string,
  ): Promise<Reminder[]> {
    const bySession = Map.groupBy(reminders, (reminder) => reminder.subjectSessionId);
    const messageIds = new Map(reminders.map((reminder) => [reminder, reminder.messageId]));
    const results = sessions.map((session) =>
      rescheduleReminders(session, bySession.get(session.sessionId) ?? [], settings, now),
    );
    const changed = results.flatMap((result) => result.changed);
    const created = results.flatMap((result) => result.created);
    shareNewMessages(changed, messageIds);
    assertStorableDueTimes([...changed, ...created], pointer);
    await bulkUpdate(this.em, Reminder, changed, { deferred: true });
    await this.insert(created);
    return [...reminders, ...created];
  }

  /**
   * Withdraws the unsent reminders of homework for which there is no rule any more, and plans reminders for new rules.
   *
   * @param sessionIds IDs of all Sessions that the transaction changes. All their reminders are locked, because all
   * transactions lock reminders in ID order.
   */
  async reviseHomeworkReminders(
    revisions: readonly HomeworkRevision[],
    sessionIds: readonly number[],
    now: Temporal.Instant,
  ): Promise<void> {
    const [first] = revisions;
    if (first === undefined) return;
    const where = { clinicId: first.subject.clinicId, sessionId: { $in: [...sessionIds] } };
    const reminders = await this.em.find(Reminder, where, LOCKED_FOR_BULK_UPDATE);
    const toClients = reminders.filter(({ recipientKind }) => recipientKind === 'CLIENT');
    const bySession = Map.groupBy(toClients, (reminder) => reminder.subjectSessionId);
    const results = revisions.map((revision) =>
      compareRules(revision, bySession.get(revision.subject.sessionId) ?? []),
    );
    for (const reminder of results.flatMap(({ unwanted }) => unwanted)) reminder.detachFromHomework(now);
    for (const { returning, homeworkId } of results) for (const reminder of returning) reminder.homeworkId = homeworkId;
    const changed = results.flatMap(({ unwanted, returning }) => [...unwanted, ...returning]);
    await bulkUpdate(this.em, Reminder, changed, { deferred: true });
    const homework = results.flatMap(({ missing }) => missing);
    await this.plan({ sessions: [], rules: [], homework }, now);
  }

  /**
   * Locks the reminders of Sessions, and those of the recipients that were not sent. Must precede the methods that change
   * them, each of which locks only its own, because all transactions lock reminders in ID order. Includes WITHDRAWN
   * reminders, because they can become PENDING before they are changed, or have another time in another time zone.
   *
   * @param sessionIds query for the IDs of the Sessions
   */
  async lockForDeactivation(clinicId: number, sessionIds: RawBuilder<unknown>, recipients: Recipients): Promise<void> {
    await sql`
      select count(*) from (
        select id from reminder where clinic_id = ${clinicId} and id in (
          select id from reminder where clinic_id = ${clinicId} and session_id in (${sessionIds})
          union
          select id from reminder where ${toRecipientsSql(clinicId, recipients)} and status <> 'SENT')
        order by id for update) as locked`.execute(this.em.getKysely());
  }

  /** Withdraws all unsent reminders of recipients who are being deactivated. */
  async withdrawByRecipients(clinicId: number, recipients: Recipients, now: Temporal.Instant): Promise<void> {
    const where = toWithdrawableFilter(clinicId, recipients);
    const reminders = await this.em.find(Reminder, where, LOCKED_FOR_BULK_UPDATE);
    for (const reminder of reminders) reminder.withdrawForInactiveRecipient(now);
    await bulkUpdate(this.em, Reminder, reminders, { deferred: true });
  }

  private async insert(reminders: readonly Reminder[]): Promise<void> {
    if (reminders.length > 0) await this.setTraceParent();
    await bulkInsert(this.em, Reminder, reminders, { deferred: true });
  }

  /**
   * Passes the current trace to the database. The column `traceparent` of new reminders stores it by default, so that
   * their delivery can be linked to this trace.
   */
  private async setTraceParent(): Promise<void> {
    const { traceparent } = this.tracing;
    if (traceparent === undefined) return;
    await executeDeferred(this.em, sql`select pg_catalog.set_config('app.traceparent', ${traceparent}, true)`);
  }
}

/** Matches the reminders of recipients that their deactivation withdraws: those that can still be sent. */
function toWithdrawableFilter(clinicId: number, recipients: Recipients) {
  const statuses = STILL_SENDABLE_STATUSES.filter((status) => status !== 'WITHDRAWN');
  const skipped = { status: 'SKIPPED' as const, reason: { $in: [...TIME_DEPENDENT_SKIP_REASONS] } };
  return { ...toRecipientsFilter(clinicId, recipients), $or: [{ status: { $in: statuses } }, skipped] };
}

/**
 * Compares the reminders of homework with its rules. `returning` are reminders that were sent before an earlier revision
 * removed their rule, which the homework now has again.
 */
function compareRules({ rules, ...homework }: HomeworkRevision, ofSession: readonly Reminder[]) {
  const { homeworkId } = homework;
  const wantedKeys = new Set(rules.map(toRuleKey));
  const isWanted = ({ rule }: Reminder) => wantedKeys.has(toRuleKey(rule));
  const existing = ofSession.filter((reminder) => reminder.homeworkId === homeworkId);
  const returning = ofSession.filter(
    (reminder) => reminder.homeworkId === null && !reminder.canStillBeSent && isWanted(reminder),
  );
  const existingKeys = new Set([...existing, ...returning].map(({ rule }) => toRuleKey(rule)));
  return {
    homeworkId,
    unwanted: existing.filter((reminder) => !isWanted(reminder)),
    returning,
    missing: rules
      .filter((rule) => !existingKeys.has(toRuleKey(rule)))
      .map((rule): NewHomeworkReminder => ({ ...homework, rule })),
  };
}
