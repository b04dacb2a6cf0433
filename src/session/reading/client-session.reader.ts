import { Injectable } from '@nestjs/common';
import { Directory } from '../../directory/index.js';
import type { ClientPrincipal } from '../../shared/access/index.js';
import { NotFoundError } from '../../shared/errors/index.js';
import { formatInstant, TenantEntityManager } from '../../shared/persistence/index.js';
import { countItemsIfRequested, toPage, type SyncPage } from '../../shared/validation/index.js';
import { toClientSession, type ClientSession, type ClientSessionQuery } from './dto/client-session.js';
import { Session } from '../domain/session.entity.js';
import { toSessionFilter, toSessionCursorFilter } from './session-filters.js';
import type { ClientReadQuery } from '../include/include-names.js';
import { IncludeLoader } from '../include/include.loader.js';
import { SessionLookup } from '../scheduling/session-lookup.js';
import { SessionSyncReader } from './session-sync.reader.js';

/** Reads the Sessions of the calling Client. */
@Injectable()
export class ClientSessionReader {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly directory: Directory,
    private readonly lookup: SessionLookup,
    private readonly sync: SessionSyncReader,
    private readonly includes: IncludeLoader,
  ) {}

  /** Returns the Client's own Sessions or, for a synchronisation, the changes in this list. */
  listSessions(caller: ClientPrincipal, query: ClientSessionQuery): Promise<SyncPage<ClientSession>> {
    return this.em.transactional(async (em) => {
      const pass = this.sync.openPass(caller, query);
      const { client, clinic } = await this.directory.requireClient(caller);
      const visible = { clinicId: clinic.id, clientId: client.id };
      const toItems = (found: readonly Session[]) => this.toClientSessions(caller, clinic.id, found, query);
      if (pass !== undefined) return this.sync.readPage(pass, { ...visible, visible }, query, toItems);
      const { field, direction } = query.sort;
      const rows = await em.find(
        Session,
        { ...visible, $and: [toSessionFilter(query), toSessionCursorFilter(query.cursor, query.sort)] },
        { orderBy: { [field]: direction, id: direction }, limit: query.limit + 1 },
      );
      const views = await toItems(rows);
      const listed = { ...visible, $and: [toSessionFilter(query)] };
      const count = await countItemsIfRequested(query.count, (maximum) => em.countUpTo(Session, listed, maximum));
      const keyOf = (session: Session) => [formatInstant(session[field]), session.id];
      return { ...toPage(rows, query.limit, keyOf, ({ id }) => views.get(id)!, query.sort), ...count };
    });
  }

  /** @throws NotFoundError when the Session does not exist or belongs to another Client */
  getSession(caller: ClientPrincipal, id: number, query: ClientReadQuery): Promise<ClientSession> {
    return this.em.transactional(async (em) => {
      const { client, clinic } = await this.directory.requireClient(caller);
      const session = await em.findOne(Session, { clinicId: clinic.id, clientId: client.id, id });
      if (session === null) throw new NotFoundError();
      return (await this.toClientSessions(caller, clinic.id, [session], query)).get(id)!;
    });
  }

  /** Converts Sessions to response models, keyed by Session ID. */
  private async toClientSessions(
    caller: ClientPrincipal,
    clinicId: number,
    sessions: readonly Session[],
    { include }: ClientReadQuery,
  ): Promise<Map<number, ClientSession>> {
    const homework = await this.lookup.findHomework(sessions);
    const bookIds = [...homework.values()].flat().map(({ bookId }) => bookId);
    const titles = await this.directory.findBookTitles(clinicId, bookIds);
    const options = { include, homework, bookTitles: titles, remindersFor: caller };
    const included = await this.includes.load(sessions, options);
    return new Map(
      sessions.map((session) => [
        session.id,
        toClientSession(session, homework.get(session.id) ?? [], titles, included.getFields(session)),
      ]),
    );
  }
}
