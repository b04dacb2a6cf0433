import { Injectable } from '@nestjs/common';
import { countHomeworkProgress, type HomeworkProgress } from '../../directory/index.js';
import type { Homework } from '../domain/homework.entity.js';
import type { Session } from '../domain/session.entity.js';
import { omitIncludes } from '../include/include-names.js';
import type { IncludedSessionFields } from '../include/included-fields.js';
import { IncludeLoader } from '../include/include.loader.js';
import { SessionLookup } from '../scheduling/session-lookup.js';
import type { HomeworkQuery } from './dto/homework-model.js';

type IncludedHomeworkFields = Pick<IncludedSessionFields, 'client' | 'careProvider' | 'books'> & {
  progress?: HomeworkProgress;
};

/** Loads the related data that a request for homework selects with `include`. */
@Injectable()
export class HomeworkIncludes {
  constructor(
    private readonly lookup: SessionLookup,
    private readonly includes: IncludeLoader,
  ) {}

  /**
   * @param sessions the Sessions of the homework
   * @param bookTitles the titles of the Books in the homework
   * @returns a function that returns the included data for one homework item
   */
  async load(
    include: HomeworkQuery['include'],
    homework: readonly Homework[],
    sessions: readonly Session[],
    bookTitles: ReadonlyMap<number, string>,
  ): Promise<(item: Homework, session: Session) => IncludedHomeworkFields> {
    if (include === undefined) return () => ({});
    const bySession = Map.groupBy(homework, ({ sessionId }) => sessionId);
    // Homework always contains its upcoming reminders, so they are not loaded here.
    const wanted = omitIncludes(include, 'reminders');
    const included = await this.includes.load(sessions, { include: wanted, homework: bySession, bookTitles });
    const allHomework = include.has('progress')
      ? await this.lookup.findHomework(sessions)
      : new Map<number, Homework[]>();
    return (item, { clientId, caregiverId }) => ({
      ...included.getPeople(clientId, caregiverId),
      ...(include.has('books') && { books: included.getBooks([item]) }),
      ...(include.has('progress') && { progress: countHomeworkProgress(allHomework.get(item.sessionId) ?? []) }),
    });
  }
}
