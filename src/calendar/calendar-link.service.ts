import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Environment } from '../shared/config/env.js';
import { ConflictError, NotFoundError } from '../shared/errors/index.js';
import { TenantEntityManager } from '../shared/persistence/index.js';
import { Clock } from '../shared/time/index.js';
import { parseCursor, toPage, type Page, type PageQuery } from '../shared/validation/index.js';
import { CalendarLink } from './calendar-link.entity.js';
import { CalendarOwners, type CallerWithCalendar } from './calendar-owners.js';
import {
  toCalendarLinkModel,
  type CalendarLinkModel,
  type CreateCalendarLink,
  type CreatedCalendarLink,
} from './dto/calendar-link.js';
import { hashLinkSecret, generateLinkSecret } from './link-secret.js';

/** Enough for one link per device. */
const MAX_ACTIVE_LINKS = 10;

const linkKey = z.tuple([z.int()]);

/** Creates, lists and revokes secret links to the caller's calendar. */
@Injectable()
export class CalendarLinkService {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly owners: CalendarOwners,
    private readonly clock: Clock,
    private readonly environment: Environment,
  ) {}

  /**
   * Creates a link. The response is the only one that contains the secret.
   *
   * @throws ConflictError when the owner already has the maximum number of active links
   */
  createLink(caller: CallerWithCalendar, { titles }: CreateCalendarLink): Promise<CreatedCalendarLink> {
    return this.em.transactional(async (em) => {
      const owner = await this.owners.lockOwner(caller);
      if ((await em.count(CalendarLink, { ...owner, revokedAt: null })) >= MAX_ACTIVE_LINKS) {
        throw new ConflictError(`There are ${MAX_ACTIVE_LINKS} calendar links already: revoke one first.`);
      }
      const secret = generateLinkSecret();
      const link = new CalendarLink(owner, { titles, secretHash: hashLinkSecret(secret) }, this.clock.now());
      await em.persist(link).flush();
      return { id: link.id, url: `${this.environment.publicUrl}/calendar/${secret}.ics` };
    });
  }

  /** Returns the caller's active links, oldest first. */
  listLinks(caller: CallerWithCalendar, { limit, cursor }: PageQuery): Promise<Page<CalendarLinkModel>> {
    return this.em.transactional(async (em) => {
      const owner = await this.owners.requireOwner(caller);
      const [id = 0] = parseCursor(cursor, linkKey) ?? [];
      const links = await em.find(
        CalendarLink,
        { ...owner, revokedAt: null, id: { $gt: id } },
        { orderBy: { id: 'asc' }, limit: limit + 1 },
      );
      return toPage(links, limit, (link) => [link.id], toCalendarLinkModel);
    });
  }

  /** Revokes one of the caller's links. Idempotent. @throws NotFoundError */
  revokeLink(caller: CallerWithCalendar, id: number): Promise<void> {
    return this.em.transactional(async (em) => {
      const owner = await this.owners.requireOwner(caller);
      const link = await em.findOne(CalendarLink, { ...owner, id });
      if (link === null) throw new NotFoundError();
      link.revoke(this.clock.now());
    });
  }
}
