import { Injectable } from '@nestjs/common';
import { Directory } from '../../directory/index.js';
import type { StaffPrincipal } from '../../shared/access/index.js';
import { TenantEntityManager } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { toSessionDigest, type SessionDigest } from './dto/session-digest.js';
import { findPreviousSession } from '../domain/series-order.js';
import { Session } from '../domain/session.entity.js';
import { SessionLookup } from '../scheduling/session-lookup.js';

/** Tells what to know before a Session. */
@Injectable()
export class SessionDigestReader {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly directory: Directory,
    private readonly lookup: SessionLookup,
    private readonly clock: Clock,
  ) {}

  /**
   * Who may see a Session may know of the one before it in the series, which may have been a colleague's. The progress
   * is that of the Sessions which the caller may see: after a hand-over the whole series for who has taken over, and
   * nothing of what came later for who has not the Client any more.
   *
   * @throws NotFoundError
   */
  getDigest(caller: StaffPrincipal, id: number): Promise<SessionDigest> {
    return this.em.transactional(async (em) => {
      const session = await this.lookup.requireSession(caller, id);
      const { clinicId, seriesId } = session;
      const members = await em.find(Session, { clinicId, seriesId }, { orderBy: { position: 'asc' } });
      const homework = await this.lookup.findHomework(members);
      const seen = await this.lookup.filterVisible(caller, members);
      const asked = seen.filter(({ status }) => status !== 'CANCELLED');
      const now = this.clock.now();
      const begun = asked.filter((member) => member.isPast(now));
      const given = (sessions: readonly Session[]) => sessions.flatMap(({ id }) => homework.get(id) ?? []);
      const bookIds = [...homework.values()].flat().map(({ bookId }) => bookId);
      const titles = await this.directory.findBookTitles(clinicId, bookIds);
      const previous = findPreviousSession(session, members);
      return toSessionDigest(session, { previous, homework, asked: given(asked), due: given(begun), titles });
    });
  }
}
