import { Injectable } from '@nestjs/common';
import type { ReminderSubject } from '../domain/reminder-rule.js';

/** What a message may say of a Session, where the Clinic lets it. */
export type SubjectFacts = {
  sessionId: number;
  title: string;
  description: string | null;
  startsAt: Temporal.Instant;
  endsAt: Temporal.Instant;
  /** Counts the changes of the Session, for its calendar event. */
  version: number;
};

/** By the ids of Sessions: what messages may say of them, what their reminders are planned by, when homework is due. */
type Source = {
  factsOf: (sessionIds: readonly number[]) => Promise<SubjectFacts[]>;
  subjectsOf: (sessionIds: readonly number[]) => Promise<ReminderSubject[]>;
  dueDaysOf: (sessionIds: readonly number[]) => Promise<DueDay[]>;
};

/** The day of the next Session of the series, until which homework of this one is to be done, in the zone of this one. */
export type DueDay = { sessionId: number; day: Temporal.PlainDate; timeZone: string };

/** Where the reminders learn what they remind of. The Sessions, which know the reminders, register themselves. */
@Injectable()
export class ReminderSubjects {
  private source: Source = {
    factsOf: () => Promise.resolve([]),
    subjectsOf: () => Promise.resolve([]),
    dueDaysOf: () => Promise.resolve([]),
  };

  provide(source: Source): void {
    this.source = source;
  }

  /** By the ids of the Sessions. Within the caller's transaction. */
  async factsOf(sessionIds: readonly number[]): Promise<Map<number, SubjectFacts>> {
    const facts = await this.source.factsOf([...new Set(sessionIds)]);
    return new Map(facts.map((fact) => [fact.sessionId, fact]));
  }

  /** By the ids of the Sessions, all of one Clinic. Within the caller's transaction. */
  async subjectsOf(sessionIds: readonly number[]): Promise<Map<number, ReminderSubject>> {
    if (sessionIds.length === 0) return new Map();
    const subjects = await this.source.subjectsOf([...new Set(sessionIds)]);
    return new Map(subjects.map((subject) => [subject.sessionId, subject]));
  }

  /** By the ids of the Sessions; of the last of a series there is none. Within the caller's transaction. */
  async dueDaysOf(sessionIds: readonly number[]): Promise<Map<number, DueDay>> {
    if (sessionIds.length === 0) return new Map();
    const days = await this.source.dueDaysOf([...new Set(sessionIds)]);
    return new Map(days.map((day) => [day.sessionId, day]));
  }
}

/** Whether a reminder of homework is due after the day until which the homework is to be done. */
export function isAfterDueDay(dueAt: Temporal.Instant, { day, timeZone }: Omit<DueDay, 'sessionId'>): boolean {
  return Temporal.PlainDate.compare(dueAt.toZonedDateTimeISO(timeZone).toPlainDate(), day) > 0;
}
