import { Injectable } from '@nestjs/common';
import { Directory } from '../../directory/index.js';
import { isAfterDueDay, UpcomingHomeworkReminders, type Reminder } from '../../reminder/index.js';
import { sendTogether, TenantEntityManager } from '../../shared/persistence/index.js';
import { toClientHomework, type ClientHomework, type HomeworkQuery } from './dto/homework-model.js';
import { HomeworkIncludes } from './homework-includes.js';
import { Homework } from '../domain/homework.entity.js';
import { computeHomeworkDueDate, findNextSessionDate } from '../domain/series-order.js';
import { SessionSeries } from '../domain/session-series.entity.js';
import { Session } from '../domain/session.entity.js';
import { WITHOUT_TEXTS } from '../scheduling/without-texts.js';

type Options = {
  include?: HomeworkQuery['include'];
  /** Returns the time zones of Clients, keyed by Client ID. */
  findZones: (clientIds: readonly number[]) => ReadonlyMap<number, string> | Promise<ReadonlyMap<number, string>>;
};

/** Homework as its Client sees it, together with its Session. */
export type LoadedHomework = { model: ClientHomework; session: Session };

/** Loads everything that the response model of homework contains. */
@Injectable()
export class HomeworkModelsLoader {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly directory: Directory,
    private readonly reminders: UpcomingHomeworkReminders,
    private readonly includes: HomeworkIncludes,
  ) {}

  /**
   * Reads homework of one Clinic. The caller must be allowed to see it.
   *
   * @returns the loaded homework, keyed by homework ID
   */
  async loadByIds(clinicId: number, ids: readonly number[], options: Options): Promise<Map<number, LoadedHomework>> {
    const homework = await this.em.find(Homework, { clinicId, id: { $in: [...ids] } });
    return this.load(clinicId, homework, options);
  }

  /** Loads the related rows of all items. The number of statements does not depend on the number of items. */
  async load(
    clinicId: number,
    homework: readonly Homework[],
    { include, findZones }: Options,
  ): Promise<Map<number, LoadedHomework>> {
    const sessions = await this.findSessions(clinicId, homework);
    const seriesIds = [...new Set([...sessions.values()].map((session) => session.seriesId))];
    const clientIds = [...new Set([...sessions.values()].map(({ clientId }) => clientId))];
    const ids = homework.map(({ id }) => id);
    const bookIds = homework.map(({ bookId }) => bookId);
    const [series, members, unsent, titles, zones] = await sendTogether([
      () => this.em.find(SessionSeries, { clinicId, id: { $in: seriesIds } }),
      () => this.em.find(Session, { clinicId, seriesId: { $in: seriesIds } }, WITHOUT_TEXTS),
      () => this.reminders.find(clinicId, ids),
      () => this.directory.findBookTitles(clinicId, bookIds),
      async () => findZones(clientIds),
    ]);
    const reminders = Map.groupBy(unsent, (item) => item.homeworkId);
    const bySeries = Map.groupBy(members, (member) => member.seriesId);
    const intervals = new Map(series.map(({ id, intervalDays }) => [id, intervalDays]));
    const toIncludedFields = await this.includes.load(include, homework, [...sessions.values()], titles);
    const toLoaded = (item: Homework): LoadedHomework => {
      const session = sessions.get(item.sessionId)!;
      const ofSeries = bySeries.get(session.seriesId) ?? [];
      const model = toClientHomework(item, {
        session,
        bookTitle: titles.get(item.bookId) ?? '',
        dueDate: computeHomeworkDueDate(session, ofSeries, intervals.get(session.seriesId)!),
        reminders: removeAfterDue(reminders.get(item.id), session, ofSeries),
        clientZone: zones.get(session.clientId)!,
        seriesVersion: ofSeries.reduce((sum, { version }) => sum + version, 0),
      });
      return { model: { ...model, ...toIncludedFields(item, session) }, session };
    };
    return new Map(homework.map((item) => [item.id, toLoaded(item)]));
  }

  private async findSessions(clinicId: number, homework: readonly Homework[]): Promise<Map<number, Session>> {
    if (homework.length === 0) return new Map();
    const id = { $in: [...new Set(homework.map((item) => item.sessionId))] };
    const sessions = await this.em.find(Session, { clinicId, id });
    return new Map(sessions.map((session) => [session.id, session]));
  }
}

/** Removes the reminders that are not sent because they are due after the date of the next Session. */
function removeAfterDue(
  reminders: readonly Reminder[] | undefined,
  session: Session,
  members: Parameters<typeof findNextSessionDate>[1],
): readonly Reminder[] {
  // Most homework has no upcoming reminders, such as all of the past.
  if (reminders === undefined) return [];
  const day = findNextSessionDate(session, members);
  if (day === null) return reminders;
  return reminders.filter((reminder) => !isAfterDueDay(reminder, { day, timeZone: session.timeZone }));
}
