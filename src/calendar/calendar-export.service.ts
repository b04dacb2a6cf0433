import { Injectable } from '@nestjs/common';
import { Session, SessionLookup } from '../session/index.js';
import type { ClientPrincipal, StaffPrincipal } from '../shared/access/index.js';
import { Environment } from '../shared/config/env.js';
import { NotFoundError, UnknownSecretLinkError } from '../shared/errors/index.js';
import { TenantEntityManager } from '../shared/persistence/index.js';
import { Clock } from '../shared/time/index.js';
import { CalendarLink } from './calendar-link.entity.js';
import { CalendarOwnerResolver } from './calendar-owner-resolver.js';
import type { TitleVisibility } from './title-visibility.js';
import { formatCalendarFeed, formatSessionCalendar } from './icalendar.js';
import { hashLinkSecret } from './link-secret.js';

const FEED_PAST_DAYS = 90;
const FEED_FUTURE_DAYS = 366;
const MAX_FEED_EVENTS = 2_000;

/** Returns Sessions as iCalendar: a feed behind a secret link, or one Session as a file. */
@Injectable()
export class CalendarExportService {
  private readonly host: string;

  constructor(
    private readonly em: TenantEntityManager,
    private readonly owners: CalendarOwnerResolver,
    private readonly sessions: SessionLookup,
    private readonly clock: Clock,
    environment: Environment,
  ) {
    this.host = new URL(environment.publicUrl).host;
  }

  /**
   * Returns the feed for a link.
   *
   * @throws NotFoundError when the secret is unknown, or the link or its owner is not active
   */
  readFeed(secret: string): Promise<string> {
    const secretHash = hashLinkSecret(secret);
    return this.em.transactional(async (em) => {
      const link = await em.findActor(CalendarLink, { $or: [{ secretHash }, { previousSecretHash: secretHash }] });
      if (link === null) throw new UnknownSecretLinkError();
      const now = this.clock.now();
      const owner = link.accepts(secretHash, now) ? await this.owners.findActiveOwner(link.owner) : undefined;
      if (owner === undefined) throw new NotFoundError();
      const startsAt = {
        $gte: now.subtract({ hours: FEED_PAST_DAYS * 24 }),
        $lt: now.add({ hours: FEED_FUTURE_DAYS * 24 }),
      };
      const sessions = await em.find(
        Session,
        { ...link.owner, startsAt },
        // Above the limit, the latest Sessions are omitted. They appear once earlier Sessions drop out of the period.
        { orderBy: { startsAt: 'asc', id: 'asc' }, limit: MAX_FEED_EVENTS },
      );
      return formatCalendarFeed(sessions, { titles: link.titles, locale: owner.locale, host: this.host });
    });
  }

  /**
   * Returns a calendar with one Session.
   *
   * @throws NotFoundError when the Session does not exist or the caller may not see it
   */
  readSession(caller: StaffPrincipal | ClientPrincipal, id: number, titles: TitleVisibility): Promise<string> {
    return this.em.transactional(async () => {
      const session =
        caller.role === 'CLIENT'
          ? await this.findOwnSession(caller, id)
          : await this.sessions.requireSession(caller, id);
      const locale = await this.owners.requireLocale(caller);
      return formatSessionCalendar(session, { titles, locale, host: this.host });
    });
  }

  private async findOwnSession(caller: ClientPrincipal, id: number): Promise<Session> {
    const session = await this.em.findOne(Session, { ...(await this.owners.requireOwner(caller)), id });
    if (session === null) throw new NotFoundError();
    return session;
  }
}
