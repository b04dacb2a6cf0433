import { Injectable, type OnModuleInit } from '@nestjs/common';
import { IncludedSessionLookup, type IncludedSession, type ReminderInclude } from '../../reminder/index.js';
import type { StaffPrincipal } from '../../shared/access/index.js';
import { TenantEntityManager } from '../../shared/persistence/index.js';
import { Session } from '../domain/session.entity.js';
import { SessionLookup } from '../scheduling/session-lookup.js';
import { IncludeLoader } from './include.loader.js';
import { SessionDetailsLoader } from './session-details.loader.js';

/** Supplies reminder responses with data of their Sessions. Sessions that the caller may not see are left out. */
@Injectable()
export class ReminderIncludesSource implements OnModuleInit {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly lookup: SessionLookup,
    private readonly details: SessionDetailsLoader,
    private readonly includes: IncludeLoader,
    private readonly reminders: IncludedSessionLookup,
  ) {}

  onModuleInit(): void {
    this.reminders.registerSource((caller, ids, include) => this.find(caller, ids, include));
  }

  private async find(
    caller: StaffPrincipal,
    sessionIds: readonly number[],
    include: ReminderInclude,
  ): Promise<Map<number, IncludedSession>> {
    const visible = { ...this.lookup.visibilityFilter(caller), id: { $in: [...sessionIds] } };
    const sessions = await this.em.find(Session, visible);
    const people = new Set([...include].filter((name) => name === 'client' || name === 'careProvider'));
    const included = await this.includes.load(sessions, { include: people, homework: new Map() });
    const { homework, conflicts } = await this.details.load(sessions, {
      homework: include.has('books') || include.has('progress'),
      conflicts: include.has('conflicts'),
    });
    return new Map(
      sessions.map((session) => [
        session.id,
        {
          ...included.getPeople(session.clientId, session.caregiverId),
          homework: homework.get(session.id) ?? [],
          conflicts: conflicts.get(session.id) ?? [],
        },
      ]),
    );
  }
}
