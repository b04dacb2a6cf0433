import { Injectable } from '@nestjs/common';
import { Directory } from '../../directory/index.js';
import type { ClientPrincipal } from '../../shared/access/index.js';
import { NotFoundError } from '../../shared/errors/index.js';
import { formatInstant, TenantEntityManager } from '../../shared/persistence/index.js';
import { toPage, type Page } from '../../shared/validation/index.js';
import { toClientSession, type ClientSession, type ClientSessionQuery } from './dto/client-session.js';
import { Session } from '../domain/session.entity.js';
import { toSessionFilter, toCursorFilter } from './session-filters.js';
import { SessionLookup } from '../scheduling/session-lookup.js';

/** Reads the Sessions of the calling Client. */
@Injectable()
export class ClientSessionReader {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly directory: Directory,
    private readonly lookup: SessionLookup,
  ) {}

  /** Returns the Client's own Sessions, in order of start. */
  listSessions(caller: ClientPrincipal, query: ClientSessionQuery): Promise<Page<ClientSession>> {
    return this.em.transactional(async (em) => {
      const { client, clinic } = await this.directory.requireClient(caller);
      const own = { clinicId: clinic.id, clientId: client.id };
      const rows = await em.find(
        Session,
        { ...own, $and: [toSessionFilter(query), toCursorFilter(query.cursor)] },
        { orderBy: { startsAt: 'asc', id: 'asc' }, limit: query.limit + 1 },
      );
      const views = await this.toClientSessions(clinic.id, rows);
      return toPage(
        rows,
        query.limit,
        (session) => [formatInstant(session.startsAt), session.id],
        (session) => views.get(session)!,
      );
    });
  }

  /** @throws NotFoundError when the Session does not exist or belongs to another Client */
  getSession(caller: ClientPrincipal, id: number): Promise<ClientSession> {
    return this.em.transactional(async (em) => {
      const { client, clinic } = await this.directory.requireClient(caller);
      const session = await em.findOne(Session, { clinicId: clinic.id, clientId: client.id, id });
      if (session === null) throw new NotFoundError();
      return (await this.toClientSessions(clinic.id, [session])).get(session)!;
    });
  }

  private async toClientSessions(clinicId: number, sessions: readonly Session[]): Promise<Map<Session, ClientSession>> {
    const homework = await this.lookup.findHomework(sessions);
    const bookIds = [...homework.values()].flat().map(({ bookId }) => bookId);
    const titles = await this.directory.findBookTitles(clinicId, bookIds);
    return new Map(
      sessions.map((session) => [session, toClientSession(session, homework.get(session.id) ?? [], titles)]),
    );
  }
}
