import { formatWallClock, isFixedOffset, getUtcOffset } from '../../shared/time/index.js';
import type { Session } from './session.entity.js';

/** What is worth telling of a change, though it is not refused. */
export const WARNING_KINDS = [
  'REMINDER_IN_THE_PAST',
  'QUIET_HOURS',
  'AFTER_DUE',
  'BEFORE_SESSION',
  'BOOK_WITHDRAWN',
  'TIME_SKIPPED',
  'DAYLIGHT_SAVING_SHIFT',
  'FIXED_OFFSET',
  'WEEK_IN_THE_PAST',
  'OUT_OF_ORDER',
] as const;
export type WarningKind = (typeof WARNING_KINDS)[number];

export type Warning = { kind: WarningKind; detail: string; position?: number; planWeek?: number; bookId?: number };

/** Warnings of the times of Sessions, given in the order of their start. */
export function timeWarnings(sessions: readonly Session[]): Warning[] {
  return [
    ...fixedOffsetWarnings(sessions),
    ...sessions.flatMap((session, index) => [...skipped(session), ...shifted(session, sessions[index - 1])]),
  ];
}

/** One for each offset at which Sessions are planned, instead of in a zone. */
export function fixedOffsetWarnings(sessions: readonly Pick<Session, 'timeZone'>[]): Warning[] {
  const offsets = new Set(sessions.map(({ timeZone }) => timeZone).filter(isFixedOffset));
  return [...offsets].map((offset) => ({
    kind: 'FIXED_OFFSET',
    detail:
      `The Sessions are planned at the fixed offset ${offset}, which is not that of the Clinic's time zone: ` +
      'their local time there shifts when its clocks change.',
  }));
}

function skipped({ position, planned, startsAt, timeZone }: Session): Warning[] {
  const local = startsAt.toZonedDateTimeISO(timeZone).toPlainDateTime();
  if (local.equals(planned)) return [];
  const detail = `The clock skips ${clock(planned)} that day: the Session is at ${clock(local)}.`;
  return [{ kind: 'TIME_SKIPPED', position, detail }];
}

function shifted(session: Session, before: Session | undefined): Warning[] {
  if (before?.timeZone !== session.timeZone) return [];
  const [old, offset] = [
    getUtcOffset(before.startsAt, before.timeZone),
    getUtcOffset(session.startsAt, session.timeZone),
  ];
  if (old === offset) return [];
  const detail =
    `The UTC offset of ${session.timeZone} changes from ${old} to ${offset} since the Session before: ` +
    'the local time stays, for people in other zones it is another.';
  return [{ kind: 'DAYLIGHT_SAVING_SHIFT', position: session.position, detail }];
}

function clock(local: Temporal.PlainDateTime): string {
  return formatWallClock(local).time;
}
