import { Injectable } from '@nestjs/common';
import { Session, SessionLookup } from '../session/index.js';
import type { ClientPrincipal, StaffPrincipal } from '../shared/access/index.js';
import { Environment } from '../shared/config/env.js';
import { NotFoundError, UnknownSecretLinkError } from '../shared/errors/index.js';
import { TenantEntityManager } from '../shared/persistence/index.js';
import { Clock } from '../shared/time/index.js';
import { CalendarLink } from './calendar-link.entity.js';
import { CalendarOwners } from './calendar-owners.js';
import type { TitleVisibility } from './title-visibility.js';
import { formatFeed, formatSession } from './icalendar.js';
import { hashLinkSecret } from './link-secret.js';

const FEED_PAST_DAYS = 90;
const FEED_FUTURE_DAYS = 366;
const MAX_FEED_EVENTS = 2_000;

/** Sessions as iCalendar: all of an owner behind a secret link, or one that a caller may see. */
@Injectable()
export class CalendarService {
  private readonly host: string;

  constructor(
    private readonly em: TenantEntityManager,
    private readonly owners: CalendarOwners,
    private readonly sessions: SessionLookup,
    private readonly clock: Clock,
    environment: Environment,
  ) {
    this.host = new URL(environment.publicUrl).host;
  }

  /** The calendar that a secret opens, to a request that acts as its holder. @throws NotFoundError for one that opens nothing, or nothing any more */
  readFeed(secret: string): Promise<string> {
    const secretHash = hashLinkSecret(secret);
    return this.em.transactional(async (em) => {
      const link = await em.findActor(CalendarLink, { secretHash });
      if (link === null) throw new UnknownSecretLinkError();
      if (link.revokedAt !== null || !(await this.owners.isActive(link.owner))) throw new NotFoundError();
      const now = this.clock.now();
      const startsAt = {
        $gte: now.subtract({ hours: FEED_PAST_DAYS * 24 }),
        $lt: now.add({ hours: FEED_FUTURE_DAYS * 24 }),
      };
      const sessions = await em.find(
        Session,
        { ...link.owner, startsAt },
        // Where there are too many, those furthest ahead are missing, and come as time goes by.
        { orderBy: { startsAt: 'asc', id: 'asc' }, limit: MAX_FEED_EVENTS },
      );
      return formatFeed(sessions, { titles: link.titles, host: this.host });
    });
  }

  /** One Session as a calendar of its own. @throws NotFoundError for one that the caller may not see */
  readSession(caller: StaffPrincipal | ClientPrincipal, id: number, titles: TitleVisibility): Promise<string> {
    return this.em.transactional(async () => {
      const session =
        caller.role === 'CLIENT'
          ? await this.findOwnSession(caller, id)
          : await this.sessions.requireSession(caller, id);
      return formatSession(session, { titles, host: this.host });
    });
  }

  private async findOwnSession(caller: ClientPrincipal, id: number): Promise<Session> {
    const session = await this.em.findOne(Session, { ...(await this.owners.requireOwner(caller)), id });
    if (session === null) throw new NotFoundError();
    return session;
  }
}
