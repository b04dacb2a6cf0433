import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { InvalidRequestError } from '../../shared/errors/index.js';
import {
  FOR_BULK_UPDATE,
  bulkInsert,
  isStorableInstant,
  TenantEntityManager,
  bulkUpdate,
} from '../../shared/persistence/index.js';
import { DueTimes } from '../domain/due-time-cache.js';
import { HoursByRecipient, RecipientSettings } from './time-settings-reader.js';
import { recipientOf, type Recipient, type ReminderRule, type ReminderSubject } from '../domain/reminder-rule.js';
import { SKIPPED_BY_TIME, UNSENT, type ReminderStatus } from '../domain/reminder-status.js';
import { Reminder } from '../domain/reminder.entity.js';

/** A homework reminder to be planned. */
export type HomeworkReminder = { homeworkId: number; rule: ReminderRule & { kind: 'HOMEWORK' } };

/** What is sent meanwhile stays sent, with its story. What is changed of them, `bulkUpdate` writes. */
const LOCKED_FOR_BULK_UPDATE = { lockMode: LockMode.PESSIMISTIC_WRITE, ...FOR_BULK_UPDATE } as const;

/** Plans reminders and keeps them in step with their Sessions. To be called within the transaction of what changes. */
@Injectable()
export class ReminderService {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly settings: RecipientSettings,
  ) {}

  /** When those whom Sessions are with want no reminders, for who plans reminders of more than one kind. */
  recipientHours(subjects: readonly ReminderSubject[]): Promise<HoursByRecipient> {
    return this.settings.ofSubjects(subjects, false);
  }

  /**
   * For each Session and rule, one reminder for the Client and one for the Care Provider
   * (docs/decisions.md, "`remindDays`").
   *
   * @throws InvalidRequestError when one would be due beyond the years 1 to 9999
   */
  async plan(
    subjects: readonly ReminderSubject[],
    rules: readonly ReminderRule[],
    now: Temporal.Instant,
    known?: HoursByRecipient,
  ): Promise<Reminder[]> {
    if (rules.length === 0) return [];
    const recipients = ['CLIENT', 'CARE_PROVIDER'] as const;
    const hours = known ?? (await this.recipientHours(subjects));
    const times = new DueTimes(now);
    return this.insert(
      subjects.flatMap((subject) =>
        rules.flatMap((rule) => {
          const dueAt = times.of(rule, subject);
          return recipients.map((kind) => {
            const own = hours.of(kind, recipientOf(subject, kind));
            return new Reminder(subject, kind, rule, now, null, own, dueAt);
          });
        }),
      ),
    );
  }

  /** Reminders of homework, for the Client alone. */
  async planHomework(
    items: readonly { subject: ReminderSubject; reminders: readonly HomeworkReminder[] }[],
    now: Temporal.Instant,
    known?: HoursByRecipient,
  ): Promise<Reminder[]> {
    const asked = items.filter(({ reminders }) => reminders.length > 0);
    if (asked.length === 0) return [];
    const hours = known ?? (await this.recipientHours(asked.map(({ subject }) => subject)));
    const times = new DueTimes(now);
    return this.insert(
      asked.flatMap(({ subject, reminders }) =>
        reminders.map(({ rule, homeworkId }) => {
          const own = hours.of('CLIENT', subject.clientId);
          return new Reminder(subject, 'CLIENT', rule, now, homeworkId, own, times.of(rule, subject));
        }),
      ),
    );
  }

  /**
   * Brings the reminders of Sessions that have changed in step with them: the one way in which a move, a
   * cancellation, a pause, done homework or a correction of any of these reaches what has not been sent.
   *
   * @returns all reminders of these Sessions, in the order in which they were planned
   */
  async reschedule(subjects: readonly ReminderSubject[], now: Temporal.Instant): Promise<Reminder[]> {
    const [first] = subjects;
    if (first === undefined) return [];
    const where = { clinicId: first.clinicId, sessionId: { $in: subjects.map((subject) => subject.sessionId) } };
    const reminders = await this.em.find(Reminder, where, { ...LOCKED_FOR_BULK_UPDATE, orderBy: { id: 'asc' } });
    const hours = await this.hoursOf(subjects, reminders);
    const bySession = Map.groupBy(reminders, (reminder) => reminder.sessionId);
    const changed: Reminder[] = [];
    const renewed = subjects.flatMap((subject) => {
      const reminders = bySession.get(subject.sessionId) ?? [];
      const [unsent, settled] = [reminders.filter((r) => r.isUnsent), reminders.filter((r) => !r.isUnsent)];
      const sentFor = sentForOf(reminders);
      const sentForThe = ({ identity }: Reminder) => sentFor.get(identity) ?? NEVER;
      const own = ({ recipientKind }: Reminder) => hours.of(recipientKind, recipientOf(subject, recipientKind));
      changed.push(...unsent.filter((one) => one.reschedule(subject, now, own(one), sentForThe(one))));
      const waiting = new Set(unsent.map((reminder) => reminder.identity));
      return settled.flatMap((reminder) => {
        if (waiting.has(reminder.identity)) return [];
        waiting.add(reminder.identity);
        return reminder.renewedFor(subject, now, own(reminder), sentForThe(reminder)) ?? [];
      });
    });
    await bulkUpdate(this.em, Reminder, changed, { deferred: true });
    return [...reminders, ...(await this.insert(renewed))];
  }

  /**
   * Works out again when reminders of Sessions are due that still wait for their time, as time zone data has changed.
   *
   * @returns how many have another time, by the ids of their Sessions
   */
  async recompute(subjects: readonly ReminderSubject[], now: Temporal.Instant): Promise<Map<number, number>> {
    const others = await this.withOtherTimes(subjects, now, LOCKED_FOR_BULK_UPDATE);
    const hours = await this.hoursOf(
      others.map(({ subject }) => subject),
      others.map(({ reminder }) => reminder),
    );
    for (const { reminder, subject } of others)
      reminder.reschedule(subject, now, hours.of(reminder.recipientKind, reminder.recipientId));
    const changed = others.map(({ reminder }) => reminder);
    await bulkUpdate(this.em, Reminder, changed, { deferred: true });
    return countBySession(changed);
  }

  /** How many reminders `recompute` would give another time, by the ids of their Sessions. */
  async countOtherTimes(subjects: readonly ReminderSubject[], now: Temporal.Instant): Promise<Map<number, number>> {
    return countBySession((await this.withOtherTimes(subjects, now, FOR_BULK_UPDATE)).map(({ reminder }) => reminder));
  }

  private async withOtherTimes(
    subjects: readonly ReminderSubject[],
    now: Temporal.Instant,
    how: typeof FOR_BULK_UPDATE | typeof LOCKED_FOR_BULK_UPDATE,
  ): Promise<{ reminder: Reminder; subject: ReminderSubject }[]> {
    const [first] = subjects;
    if (first === undefined) return [];
    const bySession = new Map(subjects.map((subject) => [subject.sessionId, subject]));
    const ahead = { status: 'PENDING' as const, dueAt: { $gt: now } };
    const where = { clinicId: first.clinicId, sessionId: { $in: [...bySession.keys()] }, ...ahead };
    const reminders = await this.em.find(Reminder, where, { ...how, orderBy: { id: 'asc' } });
    return reminders
      .map((reminder) => ({ reminder, subject: bySession.get(reminder.sessionId)! }))
      .filter(({ reminder, subject }) => reminder.hasOtherTimes(subject));
  }

  /** The reminders of homework that are still to be sent, in the order in which they are due. */
  unsentOfHomework(clinicId: number, homeworkIds: readonly number[]): Promise<Reminder[]> {
    const where = { clinicId, homeworkId: { $in: [...homeworkIds] }, status: { $in: ['PENDING', 'QUEUED'] as const } };
    return this.em.find(Reminder, where, { orderBy: { dueAt: 'asc', id: 'asc' } });
  }

  /** Withdraws the unsent reminders of homework that is taken back. */
  async withdrawHomework(clinicId: number, homeworkIds: readonly number[], now: Temporal.Instant): Promise<void> {
    const where = { clinicId, homeworkId: { $in: [...homeworkIds] }, $or: unsent(UNSENT) };
    const reminders = await this.em.find(Reminder, where, LOCKED_FOR_BULK_UPDATE);
    for (const reminder of reminders) reminder.cancel(now);
    await bulkUpdate(this.em, Reminder, reminders, { deferred: true });
  }

  /**
   * Gives homework other reminders: takes back those whose day and time are not wanted any more, plans those
   * that are new. What was sent stays sent.
   */
  async reviseHomework(
    subject: ReminderSubject,
    homeworkId: number,
    wanted: readonly HomeworkReminder['rule'][],
    now: Temporal.Instant,
  ): Promise<void> {
    const { clinicId, sessionId } = subject;
    const existing = await this.em.find(Reminder, { clinicId, sessionId, homeworkId }, LOCKED_FOR_BULK_UPDATE);
    const placeOf = (rule: ReminderRule) => (rule.kind === 'HOMEWORK' ? `${rule.reminderDay} ${rule.time}` : '');
    const wantedPlaces = new Set(wanted.map(placeOf));
    const unwanted = existing.filter((reminder) => reminder.isUnsent && !wantedPlaces.has(placeOf(reminder.rule)));
    for (const reminder of unwanted) reminder.cancel(now);
    await bulkUpdate(this.em, Reminder, unwanted, { deferred: true });
    const places = new Set(existing.map((reminder) => placeOf(reminder.rule)));
    const missing = wanted.filter((rule) => !places.has(placeOf(rule)));
    await this.planHomework([{ subject, reminders: missing.map((rule) => ({ homeworkId, rule })) }], now);
  }

  /** Withdraws all unsent reminders of somebody who has left. */
  async withdrawFrom(clinicId: number, recipient: Recipient, now: Temporal.Instant): Promise<void> {
    const { kind: recipientKind, id: recipientId } = recipient;
    const $or = unsent(UNSENT.filter((each) => each !== 'WITHDRAWN'));
    const where = { clinicId, recipientKind, recipientId, $or };
    const reminders = await this.em.find(Reminder, where, LOCKED_FOR_BULK_UPDATE);
    for (const reminder of reminders) reminder.withdrawFromRecipient(now);
    await bulkUpdate(this.em, Reminder, reminders, { deferred: true });
  }

  private async hoursOf(subjects: readonly ReminderSubject[], reminders: readonly Reminder[]) {
    if (reminders.length === 0) return new HoursByRecipient(new Map());
    return this.settings.ofSubjects(
      subjects,
      reminders.some(({ rule }) => rule.kind === 'HOMEWORK'),
    );
  }

  private async insert(reminders: Reminder[]): Promise<Reminder[]> {
    if (!reminders.every((reminder) => isStorableInstant(reminder.dueAt))) {
      throw new InvalidRequestError([
        { pointer: '/reminders', detail: 'every reminder must be due in the years 1 to 9999' },
      ]);
    }
    await bulkInsert(this.em, Reminder, reminders, { deferred: true });
    return reminders;
  }
}

function countBySession(reminders: readonly Reminder[]): Map<number, number> {
  const groups = Map.groupBy(reminders, ({ sessionId }) => sessionId);
  return new Map([...groups].map(([sessionId, ofSession]) => [sessionId, ofSession.length]));
}

const NEVER: ReadonlySet<number> = new Set();

/** For which due times, in milliseconds, the same was sent already, by what one unsent reminder can be. */
function sentForOf(reminders: readonly Reminder[]): Map<string, Set<number>> {
  const byIdentity = new Map<string, Set<number>>();
  for (const reminder of reminders)
    for (const due of reminder.sentFor) {
      const known = byIdentity.get(reminder.identity) ?? new Set();
      byIdentity.set(reminder.identity, known.add(due));
    }
  return byIdentity;
}

/** In one of these states, or skipped because of the time, which may still be sent at another. */
function unsent(statuses: readonly ReminderStatus[]) {
  const skipped = { status: 'SKIPPED' as const, reason: { $in: [...SKIPPED_BY_TIME] } };
  return [{ status: { $in: [...statuses] } }, skipped];
}
