import { Injectable } from '@nestjs/common';
import type { HomeworkDueDay, SessionMessageDetails, SessionSnapshot } from '../domain/session-data.js';

/** Reads Session data by Session ID. Sessions that do not exist are left out of the result. */
type SessionDataSource = {
  findMessageDetails: (sessionIds: readonly number[]) => Promise<SessionMessageDetails[]>;
  findSnapshots: (sessionIds: readonly number[]) => Promise<SessionSnapshot[]>;
  findHomeworkDueDays: (sessionIds: readonly number[]) => Promise<HomeworkDueDay[]>;
};

/**
 * Provides the reminder module with Session data. The module must not import the session module, so the session module
 * registers its data source here. Data is read in the caller's transaction and returned in maps by Session ID.
 */
@Injectable()
export class SessionDataLookup {
  private registered: SessionDataSource | undefined;

  registerSource(source: SessionDataSource): void {
    this.registered = source;
  }

  private get source(): SessionDataSource {
    if (this.registered === undefined) throw new Error('The session module has registered no source of its data.');
    return this.registered;
  }

  async findMessageDetails(sessionIds: readonly number[]): Promise<Map<number, SessionMessageDetails>> {
    const details = await this.source.findMessageDetails([...new Set(sessionIds)]);
    return new Map(details.map((session) => [session.sessionId, session]));
  }

  /** @param sessionIds IDs of Sessions of a single Clinic */
  async findSnapshots(sessionIds: readonly number[]): Promise<Map<number, SessionSnapshot>> {
    if (sessionIds.length === 0) return new Map();
    const snapshots = await this.source.findSnapshots([...new Set(sessionIds)]);
    return new Map(snapshots.map((session) => [session.sessionId, session]));
  }

  /** Finds the due days of homework. The last Session of a series has none, because no Session follows it. */
  async findHomeworkDueDays(sessionIds: readonly number[]): Promise<Map<number, HomeworkDueDay>> {
    if (sessionIds.length === 0) return new Map();
    const dueDays = await this.source.findHomeworkDueDays([...new Set(sessionIds)]);
    return new Map(dueDays.map((dueDay) => [dueDay.sessionId, dueDay]));
  }
}
