import { EntityManager } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { Directory } from '../directory/index.js';
import type { StaffPrincipal } from '../shared/access/index.js';
import { viewDigest, type SessionDigest } from './dto/session-digest.js';
import { previousInSeries } from './series-order.js';
import { Session } from './session.entity.js';
import { SessionReader } from './session.reader.js';

/** Tells what to know before a Session. */
@Injectable()
export class SessionDigestReader {
  constructor(
    private readonly em: EntityManager,
    private readonly directory: Directory,
    private readonly reader: SessionReader,
  ) {}

  /** Who may see a Session may know of those before it in the series: they may have been a colleague's. @throws NotFoundError */
  getDigest(caller: StaffPrincipal, id: number): Promise<SessionDigest> {
    return this.em.transactional(async (em) => {
      const session = await this.reader.requireSession(caller, id);
      const { clinicId, seriesId } = session;
      const members = await em.find(Session, { clinicId, seriesId }, { orderBy: { position: 'asc' } });
      const homework = await this.reader.homeworkOf(clinicId, members);
      const asked = members.filter(({ status }) => status !== 'CANCELLED').flatMap(({ id }) => homework.get(id) ?? []);
      const bookIds = [...homework.values()].flat().map(({ bookId }) => bookId);
      const titles = await this.directory.bookTitles(clinicId, bookIds);
      return viewDigest(session, { previous: previousInSeries(session, members), homework, asked, titles });
    });
  }
}
