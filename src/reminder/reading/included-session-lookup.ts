import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import {
  scheduleConflictSchema,
  countHomeworkProgress,
  includedBookSchema,
  createOptionalCareProviderSchema,
  createOptionalClientSchema,
  PersonNameReader,
  homeworkProgressSchema,
  type NamedPerson,
  type ScheduleConflict,
} from '../../directory/index.js';
import type { StaffPrincipal } from '../../shared/access/index.js';
import { includeQuery } from '../../shared/validation/index.js';
import type { Reminder } from '../domain/reminder.entity.js';

/* The values that `include` accepts for reminders. Each adds data of the reminder's Session. */

export const reminderIncludeQuery = includeQuery(['client', 'careProvider', 'books', 'progress', 'conflicts']);
export type ReminderInclude = NonNullable<z.output<typeof reminderIncludeQuery>>;

export const reminderIncludeShape = {
  client: createOptionalClientSchema('With `include=client`: the Client of the Session.'),
  careProvider: createOptionalCareProviderSchema('With `include=careProvider`: the Care Provider of the Session.'),
  books: z
    .array(includedBookSchema)
    .optional()
    .meta({ description: 'With `include=books`: the Book of its homework, or the Books of its Session.' }),
  progress: homeworkProgressSchema
    .optional()
    .meta({ description: 'With `include=progress`: the homework progress of the Session.' }),
  conflicts: z
    .array(scheduleConflictSchema)
    .optional()
    .meta({ description: 'With `include=conflicts`: overlaps of the Session, the first 10 by their start.' }),
};

type IncludedReminderFields = z.output<z.ZodObject<typeof reminderIncludeShape>>;

/** Data of one Session that the caller may see. Data that was not requested is absent or empty. */
export type IncludedSession = Pick<IncludedReminderFields, 'client' | 'careProvider'> & {
  homework: readonly { id: number; bookId: number; bookTitle: string; completedAt: string | null }[];
  conflicts: ScheduleConflict[];
};
type FindIncluded = (
  caller: StaffPrincipal,
  sessionIds: readonly number[],
  include: ReminderInclude,
) => Promise<Map<number, IncludedSession>>;

type ReminderOfSession = Pick<Reminder, 'clinicId' | 'caregiverId' | 'homeworkId' | 'subjectSessionId' | 'isNotice'>;

/**
 * Provides Session data for responses about reminders. This module must not import the session module, so the session
 * module registers its source here.
 */
@Injectable()
export class IncludedSessionLookup {
  private source: FindIncluded = () => {
    throw new Error('The session module has registered no source of its data.');
  };

  constructor(private readonly names: PersonNameReader) {}

  registerSource(source: FindIncluded): void {
    this.source = source;
  }

  /**
   * @param reminders reminders of one Clinic that the caller may see
   * @returns a function that returns the included data for a reminder; empty if the caller may not see the Session
   */
  async find(
    caller: StaffPrincipal,
    reminders: readonly ReminderOfSession[],
    include: ReminderInclude | undefined,
  ): Promise<(reminder: ReminderOfSession) => IncludedReminderFields> {
    if (include === undefined || reminders.length === 0) return () => ({});
    const ids = [...new Set(reminders.map(({ subjectSessionId }) => subjectSessionId))];
    const sessions = await this.source(caller, ids, include);
    const careProviders = await this.findCareProvidersOfNotices(reminders, include);
    return ({ subjectSessionId, homeworkId, isNotice, caregiverId }) => {
      const session = sessions.get(subjectSessionId);
      if (session !== undefined) return toIncludedFields(session, homeworkId, include);
      const careProvider = isNotice ? careProviders.get(caregiverId) : undefined;
      return careProvider === undefined ? {} : { careProvider };
    };
  }

  /** The Session of a notice no longer exists, but the notice itself has the Care Provider. */
  private async findCareProvidersOfNotices(
    reminders: readonly ReminderOfSession[],
    include: ReminderInclude,
  ): Promise<ReadonlyMap<number, NamedPerson>> {
    const notices = include.has('careProvider') ? reminders.filter(({ isNotice }) => isNotice) : [];
    const [first] = notices;
    if (first === undefined) return new Map();
    const careProviderIds = notices.map(({ caregiverId }) => caregiverId);
    return (await this.names.findByIds(first.clinicId, { clientIds: [], careProviderIds })).careProviders;
  }
}

function toIncludedFields(
  { homework, conflicts, ...people }: IncludedSession,
  homeworkId: number | null,
  include: ReminderInclude,
): IncludedReminderFields {
  const shown = homework.filter(({ id }) => homeworkId === null || id === homeworkId);
  const titles = new Map(shown.map(({ bookId, bookTitle }) => [bookId, bookTitle]));
  return {
    ...people,
    ...(include.has('books') && { books: [...titles].map(([id, title]) => ({ id, title })) }),
    ...(include.has('progress') && { progress: countHomeworkProgress(homework) }),
    ...(include.has('conflicts') && { conflicts }),
  };
}
