import { Injectable } from '@nestjs/common';
import { Directory } from '../../directory/index.js';
import type { ClientPrincipal } from '../../shared/access/index.js';
import { ConflictError, NotFoundError } from '../../shared/errors/index.js';
import { bulkUpdate, TenantEntityManager } from '../../shared/persistence/index.js';
import type { ClientHomework } from './dto/homework-model.js';
import { Homework } from '../domain/homework.entity.js';
import { HomeworkReader, type ClientWithClinic } from './homework.reader.js';
import { SeriesEditor } from '../scheduling/series-editor.js';
import { SessionReminders } from '../scheduling/session-reminders.js';
import { Session } from '../domain/session.entity.js';

/** Marks homework as done or not done, and adapts its reminders. */
@Injectable()
export class HomeworkService {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly directory: Directory,
    private readonly reader: HomeworkReader,
    private readonly editor: SeriesEditor,
    private readonly sessionReminders: SessionReminders,
  ) {}

  /**
   * Marks homework as done and withdraws its unsent reminders. Idempotent.
   *
   * @throws NotFoundError when the homework does not exist or belongs to another Client
   * @throws ConflictError when the Session is cancelled
   */
  complete(caller: ClientPrincipal, id: number): Promise<ClientHomework> {
    return this.change(caller, id, (homework, now) => homework.complete(now));
  }

  /** Marks homework as not done and restores its future reminders. Idempotent. Throws the same errors as `complete`. */
  reopen(caller: ClientPrincipal, id: number): Promise<ClientHomework> {
    return this.change(caller, id, (homework) => homework.reopen());
  }

  private change(
    caller: ClientPrincipal,
    id: number,
    step: (homework: Homework, now: Temporal.Instant) => boolean,
  ): Promise<ClientHomework> {
    return this.em.transactional(async (em) => {
      const owner = await this.directory.requireClient(caller);
      const found = await this.findSession(owner, id);
      const { members, now } = await this.editor.lockSeries(owner.clinic.id, found.seriesId);
      const session = members.find((member) => member.id === found.id)!;
      // Read again, because a concurrent revision may have removed the Book before the series was locked.
      const homework = await em.findOne(Homework, { clinicId: owner.clinic.id, id }, { refresh: true });
      if (homework === null) throw new NotFoundError();
      if (session.status === 'CANCELLED') {
        throw new ConflictError('The Session of this homework is cancelled.');
      }
      // If nothing has changed, the Session must not be written: each write is a change that clients would synchronise.
      if (step(homework, now)) await this.saveChange(session, now);
      return this.reader.toClientHomework(owner, homework);
    });
  }

  private async saveChange(session: Session, now: Temporal.Instant): Promise<void> {
    // The homework is written first because the reminders are planned from the database.
    await this.em.flush();
    session.recordHomeworkChange(now);
    await bulkUpdate(this.em, Session, [session], { deferred: true });
    await this.sessionReminders.update([session], now);
  }

  private async findSession({ client, clinic }: ClientWithClinic, homeworkId: number): Promise<Session> {
    const homework = await this.em.findOne(Homework, { clinicId: clinic.id, id: homeworkId });
    const own = { clinicId: clinic.id, clientId: client.id };
    const session = homework && (await this.em.findOne(Session, { ...own, id: homework.sessionId }));
    if (session === null) throw new NotFoundError();
    return session;
  }
}
