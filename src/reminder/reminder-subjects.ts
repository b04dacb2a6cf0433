import { Injectable } from '@nestjs/common';

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

type Source = (sessionIds: readonly number[]) => Promise<SubjectFacts[]>;

/** Where the reminders learn what they remind of. The Sessions, which know the reminders, register themselves. */
@Injectable()
export class ReminderSubjects {
  private source: Source = () => Promise.resolve([]);

  provide(source: Source): void {
    this.source = source;
  }

  /** By the ids of the Sessions. Within the caller's transaction. */
  async factsOf(sessionIds: readonly number[]): Promise<Map<number, SubjectFacts>> {
    const facts = await this.source([...new Set(sessionIds)]);
    return new Map(facts.map((fact) => [fact.sessionId, fact]));
  }
}
