import { Injectable } from '@nestjs/common';
import { Directory } from '../../directory/index.js';
import type { StaffPrincipal } from '../../shared/access/index.js';
import { TenantEntityManager } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { toSessionDigest, type SessionDigest } from './dto/session-digest.js';
import { findPreviousSession } from '../domain/series-order.js';
import { Session } from '../domain/session.entity.js';
import { SessionLookup } from '../scheduling/session-lookup.js';
import { WITHOUT_TEXTS } from '../scheduling/without-texts.js';

/** Reads the digest of a Session: the previous Session and the homework progress. */
@Injectable()
export class SessionDigestReader {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly directory: Directory,
    private readonly lookup: SessionLookup,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the digest of a Session. The previous Session is included even if it was with another Care Provider.
   * Progress covers only Sessions that the caller may see. After a reassignment, the new Care Provider sees the whole
   * series, and the previous Care Provider only their own Sessions.
   *
   * @throws NotFoundError if the Session does not exist or the caller may not see it
   */
  getDigest(caller: StaffPrincipal, id: number): Promise<SessionDigest> {
    return this.em.transactional(async (em) => {
      const session = await this.lookup.requireSession(caller, id);
      const { clinicId, seriesId } = session;
      const options = { ...WITHOUT_TEXTS, orderBy: { position: 'asc' } } as const;
      const members = (await em.find(Session, { clinicId, seriesId }, options)) as Session[];
      const homework = await this.lookup.findHomework(members);
      const visible = await this.lookup.filterVisible(caller, members);
      const expected = visible.filter(({ status }) => status !== 'CANCELLED');
      const now = this.clock.now();
      const started = expected.filter((member) => member.isPast(now));
      const collectHomework = (sessions: readonly Session[]) => sessions.flatMap(({ id }) => homework.get(id) ?? []);
      const bookIds = [...homework.values()].flat().map(({ bookId }) => bookId);
      const titles = await this.directory.findBookTitles(clinicId, bookIds);
      const previous = findPreviousSession(session, members);
      return toSessionDigest(session, {
        previous,
        homework,
        assigned: collectHomework(expected),
        due: collectHomework(started),
        titles,
      });
    });
  }
}
