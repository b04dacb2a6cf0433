import { EntityManager, LockMode, type FilterQuery } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { sql } from 'kysely';
import { TimeZoneEvents } from '../../directory/index.js';
import { forkForActor, UNTRACKED, formatInstant, bulkUpdate } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { RecipientSettings } from './time-settings-reader.js';
import { ReminderSubjects } from './session-lookup.js';
import type { Recipient } from '../domain/reminder-rule.js';
import { Reminder } from '../domain/reminder.entity.js';

/** Reminders of a Clinic that one transaction works on: few enough not to hold up those who change Sessions. */
const BATCH = 500;
/** Quiet hours defer a reminder by two days at most. What was due before that is not looked at. */
const LOOK_BACK = Temporal.Duration.from({ hours: 48 });

/** What waits to be sent, or would if its Session or its homework were not in the way. */
const WAITING = [
  { status: { $in: ['PENDING', 'WITHDRAWN'] as const } },
  { status: 'SKIPPED' as const, reason: 'QUIET_HOURS' as const },
];

/** `due` and `reminderId`: the last reminder that was looked at. */
type Request = { id: number; clinicId: number; due: Temporal.Instant | null; reminderId: number };

/**
 * Works out again when unsent reminders are due and when they are sent, as quiet hours or a time zone have changed. Of
 * one recipient at once; of a whole Clinic by a job, in batches, of which any instance may do the next.
 */
@Injectable()
export class ReminderReplanning implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly zoneChanges: TimeZoneEvents,
    private readonly settings: RecipientSettings,
    private readonly subjects: ReminderSubjects,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.zoneChanges.subscribe(({ clinicId, person }) =>
      person === undefined ? this.requestForClinic(clinicId) : this.replanRecipient(clinicId, person),
    );
  }

  /** Within the transaction of the change. */
  async replanRecipient(clinicId: number, { kind: recipientKind, id: recipientId }: Recipient): Promise<void> {
    await this.replan({ clinicId, recipientKind, recipientId, $or: WAITING });
  }

  /** Within the transaction of the change: the job does it. A newer request takes the place of an older one. */
  async requestForClinic(clinicId: number): Promise<void> {
    await sql`
      insert into reminder_replanning (clinic_id, requested_at)
      values (${clinicId}, ${formatInstant(this.clock.now())}::timestamptz)`.execute(this.kysely);
  }

  /** Carries out what was requested for Clinics, batch by batch. Returns how many reminders have changed. */
  async runRequested(progress: () => void = () => undefined): Promise<number> {
    let total = 0;
    for (;;) {
      const changed = await this.runBatch();
      if (changed === undefined) return total;
      total += changed;
      progress();
    }
  }

  private runBatch(): Promise<number | undefined> {
    return forkForActor(this.em, { role: 'REMINDERS' }).transactional(async () => {
      const request = await this.nextRequest();
      if (request === undefined) return undefined;
      const { clinicId, due, reminderId } = request;
      const from = due ?? this.clock.now().subtract(LOOK_BACK);
      const after = { dueAt: { $gte: from }, $or: [{ dueAt: { $gt: from } }, { id: { $gt: reminderId } }] };
      const { last, changed } = await this.replan({ clinicId, $and: [{ $or: WAITING }, after] }, BATCH);
      await this.settle(request, last);
      return changed;
    });
  }

  private async nextRequest(): Promise<Request | undefined> {
    const { rows } = await sql<{ id: string; clinic_id: string; due_ms: number | null; after_id: string }>`
      select id, clinic_id, (extract(epoch from after_due) * 1000)::float8 as due_ms, after_id
      from reminder_replanning as request
      where not exists (select from reminder_replanning as newer
        where newer.clinic_id = request.clinic_id and newer.id > request.id)
      order by id limit 1 for update skip locked`.execute(this.kysely);
    const [row] = rows;
    if (row === undefined) return undefined;
    const due = row.due_ms === null ? null : Temporal.Instant.fromEpochMilliseconds(row.due_ms);
    return { id: Number(row.id), clinicId: Number(row.clinic_id), due, reminderId: Number(row.after_id) };
  }

  private async settle({ id, clinicId }: Request, last: Pick<Reminder, 'dueAt' | 'id'> | undefined): Promise<void> {
    const statement =
      last === undefined
        ? sql`delete from reminder_replanning where clinic_id = ${clinicId} and id <= ${id}`
        : sql`update reminder_replanning set after_due = ${formatInstant(last.dueAt)}::timestamptz, after_id = ${last.id}
            where id = ${id}`;
    await statement.execute(this.kysely);
  }

  /** @returns the last one looked at, where there may be more */
  private async replan(where: FilterQuery<Reminder> & { clinicId: number }, limit?: number) {
    const now = this.clock.now();
    const reminders = await this.em.find(Reminder, where, {
      ...{ ...UNTRACKED, lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { dueAt: 'asc', id: 'asc' } },
      ...(limit === undefined ? {} : { limit }),
    });
    const recipients = reminders.map(({ recipientKind: kind, recipientId: id }) => ({ kind, id }));
    const hours = await this.settings.of(where.clinicId, recipients, true);
    const homework = reminders.filter(({ rule }) => rule.kind === 'HOMEWORK');
    const subjects = await this.subjects.subjectsOf(homework.map(({ sessionId }) => sessionId));
    const page = reminders.map(({ dueAt, id }) => ({ dueAt, id }));
    const changed = reminders.filter((reminder) => {
      const own = hours.of(reminder.recipientKind, reminder.recipientId);
      const subject = subjects.get(reminder.sessionId);
      const hasMoved = subject !== undefined && reminder.kind === 'HOMEWORK' && reminder.reschedule(subject, now, own);
      return reminder.replan(own, now) || hasMoved;
    });
    await bulkUpdate(this.em, Reminder, changed, { deferred: true });
    return { last: page.length === limit ? page.at(-1) : undefined, changed: changed.length };
  }

  private get kysely() {
    return (this.em as SqlEntityManager).getKysely();
  }
}
