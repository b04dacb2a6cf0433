import { Injectable } from '@nestjs/common';
import { ReminderService, type Reminder } from '../reminder/index.js';
import type { Overlaps } from '../shared/errors/index.js';
import { TenantEntityManager } from '../shared/persistence/index.js';
import { viewChange, type SeriesChange } from './dto/series-change.js';
import { Homework } from './homework.entity.js';
import type { WrittenSession } from './series-writer.js';
import type { SessionSeries } from './session-series.entity.js';
import type { Session } from './session.entity.js';
import { timeWarnings, type Warning } from './warnings.js';

export type { SeriesChange } from './dto/series-change.js';

type Context = Overlaps & {
  warnings: Warning[];
  /** Sessions that a dry run has made, so that their ids mean nothing. */
  hidden: ReadonlySet<number>;
  /** The same of the series itself. */
  isNew: boolean;
  now: Temporal.Instant;
};

type Belongings = { homework: readonly Homework[]; reminders: readonly Reminder[] };

/** Tells what a change has made of a series: what was written, a dry run alike. */
@Injectable()
export class SeriesReport {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly reminders: ReminderService,
  ) {}

  /** @param written what of new Sessions is known already; absent: it is read */
  async of(
    series: SessionSeries,
    sessions: readonly Session[],
    context: Context,
    written?: readonly WrittenSession[],
  ): Promise<SeriesChange> {
    const { homework, reminders } = written === undefined ? await this.read(series, sessions) : allOf(written);
    const warnings = [
      ...context.warnings,
      ...timeWarnings(sessions),
      ...reminders.filter((reminder) => isLate(reminder, context.now)).map((reminder) => late(reminder, sessions)),
    ];
    return viewChange(series, sessions, { ...context, warnings, homework, reminders });
  }

  private async read({ clinicId }: SessionSeries, sessions: readonly Session[]): Promise<Belongings> {
    const sessionId = { $in: sessions.map((session) => session.id) };
    const homework = await this.em.find(Homework, { clinicId, sessionId }, { orderBy: { id: 'asc' } });
    return { homework, reminders: await this.reminders.remindersOf(clinicId, sessionId.$in) };
  }
}

function allOf(written: readonly WrittenSession[]): Belongings {
  const given = written.flatMap(({ homework }) => homework);
  return {
    homework: given.map(({ homework }) => homework),
    reminders: [...written, ...given].flatMap(({ reminders }) => reminders),
  };
}

function isLate({ status, dueAt }: Reminder, now: Temporal.Instant): boolean {
  return status === 'PENDING' && Temporal.Instant.compare(dueAt, now) < 0;
}

function late({ rule, sessionId }: Reminder, sessions: readonly Session[]): Warning {
  return {
    kind: 'REMINDER_IN_THE_PAST',
    position: sessions.find((session) => session.id === sessionId)?.position,
    detail: 'A reminder was due before now: it is sent at once.',
    ...(rule.kind === 'HOMEWORK' ? { bookId: rule.bookId } : {}),
  };
}
