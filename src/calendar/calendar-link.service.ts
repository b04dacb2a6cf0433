import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { TokenHolderRevocations } from '../auth/index.js';
import { Environment } from '../shared/config/env.js';
import { ConflictError, NotFoundError } from '../shared/errors/index.js';
import { formatInstant, TenantEntityManager } from '../shared/persistence/index.js';
import { Clock } from '../shared/time/index.js';
import { parseCursor, toPage, type Page, type PageQuery } from '../shared/validation/index.js';
import { CalendarLink, type CalendarOwner } from './calendar-link.entity.js';
import { CalendarOwnerResolver, type CallerWithCalendar } from './calendar-owner-resolver.js';
import {
  toCalendarLinkModel,
  type CalendarLinkModel,
  type CreateCalendarLink,
  type CreatedCalendarLink,
} from './dto/calendar-link.js';
import { hashLinkSecret, generateLinkSecret } from './link-secret.js';

/**
 * Maximum number of links per person that are not revoked, including expired ones. It allows for one link per device.
 */
const MAX_LINKS = 10;

const linkKey = z.tuple([z.int()]);

/** Creates, lists, renews, rotates and revokes secret links to the caller's calendar. */
@Injectable()
export class CalendarLinkService {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly owners: CalendarOwnerResolver,
    private readonly revocations: TokenHolderRevocations,
    private readonly clock: Clock,
    private readonly environment: Environment,
  ) {}

  /**
   * Creates a link. The response is the only one that contains the secret.
   *
   * @throws UnauthenticatedError when the Clinic has revoked the caller's token
   * @throws ConflictError when the owner already has the maximum number of links
   */
  createLink(caller: CallerWithCalendar, { titles }: CreateCalendarLink): Promise<CreatedCalendarLink> {
    return this.em.transactional(async (em) => {
      const owner = await this.owners.lockOwner(caller);
      await this.revocations.requireNotRevoked(caller, owner.clinicId);
      if ((await em.count(CalendarLink, { ...owner, revokedAt: null })) >= MAX_LINKS) {
        throw new ConflictError(`There are ${MAX_LINKS} calendar links already: revoke one first.`);
      }
      const secret = generateLinkSecret();
      const link = new CalendarLink(owner, { titles, secretHash: hashLinkSecret(secret) }, this.clock.now());
      await em.persist(link).flush();
      return this.toCreatedLink(link, secret);
    });
  }

  /**
   * Replaces the secret of one of the caller's links and renews it. The previous secret works for another day.
   *
   * @throws UnauthenticatedError when the Clinic has revoked the caller's token
   * @throws NotFoundError if the link does not exist or is revoked
   */
  rotateLink(caller: CallerWithCalendar, id: number): Promise<CreatedCalendarLink> {
    return this.em.transactional(async () => {
      const link = await this.lockLink(caller, id);
      const secret = generateLinkSecret();
      link.rotate(hashLinkSecret(secret), this.clock.now());
      return this.toCreatedLink(link, secret);
    });
  }

  /**
   * Extends one of the caller's links by a full lifetime from now.
   *
   * @throws UnauthenticatedError when the Clinic has revoked the caller's token
   * @throws NotFoundError if the link does not exist or is revoked
   */
  renewLink(caller: CallerWithCalendar, id: number): Promise<CalendarLinkModel> {
    return this.em.transactional(async () => {
      const link = await this.lockLink(caller, id);
      link.renew(this.clock.now());
      return toCalendarLinkModel(link);
    });
  }

  /** Returns the caller's links that are not revoked, including expired ones, oldest first. */
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

  /**
   * Revokes one of the caller's links. Idempotent.
   *
   * @throws NotFoundError if the link does not exist
   */
  revokeLink(caller: CallerWithCalendar, id: number): Promise<void> {
    return this.em.transactional(async (em) => {
      const owner = await this.owners.requireOwner(caller);
      const link = await em.findOne(CalendarLink, { ...owner, id });
      if (link === null) throw new NotFoundError();
      link.revoke(this.clock.now());
    });
  }

  /**
   * Revokes all links of an owner that were created before an instant; by default all. Runs within the caller's
   * transaction.
   */
  async revokeLinksOf(owner: CalendarOwner, createdBefore?: Temporal.Instant): Promise<void> {
    const created = createdBefore === undefined ? {} : { createdAt: { $lt: createdBefore } };
    const links = await this.em.find(CalendarLink, { ...owner, revokedAt: null, ...created });
    const now = this.clock.now();
    for (const link of links) link.revoke(now);
  }

  /**
   * Finds and locks one of the caller's links, to make it work for longer than the caller's token. The lock makes
   * concurrent rotations run one after another, so the secret in the last response is the current one.
   */
  private async lockLink(caller: CallerWithCalendar, id: number): Promise<CalendarLink> {
    const owner = await this.owners.requireOwner(caller);
    await this.revocations.requireNotRevoked(caller, owner.clinicId);
    const where = { ...owner, id, revokedAt: null };
    const link = await this.em.findOne(CalendarLink, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (link === null) throw new NotFoundError();
    return link;
  }

  private toCreatedLink({ id, expiresAt }: CalendarLink, secret: string): CreatedCalendarLink {
    return { id, url: `${this.environment.publicUrl}/calendar/${secret}.ics`, expiresAt: formatInstant(expiresAt) };
  }
}
