import { Injectable } from '@nestjs/common';
import type { ReminderSubject } from './reminder-rule.js';

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

/** Both by the ids of Sessions: what messages may say of them, and what their reminders are planned by. */
type Source = {
  factsOf: (sessionIds: readonly number[]) => Promise<SubjectFacts[]>;
  subjectsOf: (sessionIds: readonly number[]) => Promise<ReminderSubject[]>;
};

/** Where the reminders learn what they remind of. The Sessions, which know the reminders, register themselves. */
@Injectable()
export class ReminderSubjects {
  private source: Source = { factsOf: () => Promise.resolve([]), subjectsOf: () => Promise.resolve([]) };

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
}
