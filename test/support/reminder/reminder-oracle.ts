import { sql } from 'kysely';
import type { TestApp } from '../app/test-app.js';

/*
 * Computes which reminders a series must have, from the current state of its Sessions alone: those that a new series at
 * these times would get, without those that were already sent. To find errors in Temporal and in the planning code, it
 * uses neither. There are three exceptions. `remindDays` counts from the creation of the Session. A reminder whose time
 * had passed when its Session was restored (`resume`, `undo`) is not sent. A reminder that was withdrawn because its
 * recipient was deactivated is restored only if its Session changes.
 */

type Assignment = { bookId: number; assignReminds: readonly { reminderDay: number; time: string }[] };
type PlanWeek = { ordering: number; assignments: readonly Assignment[] };

type OracleSeries = {
  seriesId: string;
  zone: string;
  clientZone: string;
  remindDays: number | null;
  reminders: readonly string[];
  /** The weeks of each revision of the plan, from revision 1 on. The test appends revisions. */
  plan: readonly (readonly PlanWeek[])[];
};

type SessionRow = {
  id: number;
  revision: number;
  week: number;
  planned_date: string;
  starts: number;
  created: number;
  status: 'SCHEDULED' | 'PAUSED' | 'COMPLETED' | 'NO_SHOW' | 'CANCELLED';
  client_id: number;
  caregiver_id: number;
};
type Rule = { kind: string; days?: number; offset?: string; bookId?: number; reminderDay?: number; time?: string };
type HistoryEntry = { what: string; from?: string; to?: string };
type ReminderRow = {
  session_id: number;
  recipient: string;
  rule: Rule;
  due: number;
  send: number;
  status: string;
  reason: string | null;
  story: HistoryEntry[];
};

const DAY = 86_400_000;
const MINUTE = 60_000;

/**
 * Computes the expected reminders of one series. It remembers the previous state, so it must be called after each step.
 */
export class ReminderOracle {
  /**
   * The plan revision of each Session's homework, keyed by Session ID. A newer revision changes only future Sessions.
   */
  private readonly revisions = new Map<number, number>();
  private previousSessions: readonly SessionRow[] = [];
  private revision = 1;

  constructor(
    private readonly app: TestApp,
    private readonly series: OracleSeries,
  ) {}

  /** Returns a description of each difference between the expected and the stored reminders. */
  async findMismatches(now: string): Promise<string[]> {
    const at = toMilliseconds(now);
    const sessions = await this.app.queryRows(selectSessions(this.series.seriesId));
    const rows = await this.app.queryRows(selectReminders(this.series.seriesId));
    this.updateRevisions(sessions, at);
    const sent = rows.flatMap(findSentKeys);
    const settled = new Set([...sent, ...rows.filter(({ reason }) => reason === 'RECIPIENT_LEFT').map(toKey)]);
    const expected = sessions
      .flatMap((session) => this.computeExpectedReminders(session))
      .filter(({ due }) => due > at);
    const missing = expected.map(({ key }) => key).filter((key) => !settled.has(key));
    const waiting = rows.filter(({ status, due }) => (status === 'PENDING' || status === 'QUEUED') && due > at);
    return [
      ...describeDifferences('is missing', missing, waiting.map(toKey)),
      ...describeDifferences('should not wait', waiting.map(toKey), missing),
      ...waiting.filter(({ due, send }) => send !== due).map((row) => `${toKey(row)} is sent at another time`),
      ...sent.filter((key, index) => sent.indexOf(key) !== index).map((key) => `${key} was sent twice`),
    ];
  }

  private updateRevisions(sessions: readonly SessionRow[], now: number): void {
    const current = sessions[0]!.revision;
    const isAhead = ({ status, starts }: SessionRow) => status === 'PAUSED' || (status === 'SCHEDULED' && starts > now);
    // Whether a Session counts as a future one depends on its state before this step.
    const ahead = new Set(this.previousSessions.filter(isAhead).map(({ id }) => id));
    for (const { id, status } of sessions) {
      const isRevised = current !== this.revision && ahead.has(id) && status !== 'CANCELLED';
      if (!this.revisions.has(id) || isRevised) this.revisions.set(id, current);
    }
    [this.previousSessions, this.revision] = [sessions, current];
  }

  private computeExpectedReminders(session: SessionRow): { key: string; due: number }[] {
    const { status, starts, id } = session;
    if (status === 'PAUSED' || status === 'CANCELLED') return [];
    const around = this.computeStartReminders(session).filter(({ due }) => status === 'SCHEDULED' || due > starts);
    const ofBoth = around.flatMap(({ name, due }) => [
      { key: `${id} CLIENT ${session.client_id} ${name} ${due}`, due },
      { key: `${id} CARE_PROVIDER ${session.caregiver_id} ${name} ${due}`, due },
    ]);
    const ofHomework = this.computeHomeworkReminders(session).map(({ name, due }) => {
      return { key: `${id} CLIENT ${session.client_id} ${name} ${due}`, due };
    });
    return [...ofBoth, ...ofHomework];
  }

  private computeStartReminders({ starts, created }: SessionRow) {
    const { zone, remindDays, reminders } = this.series;
    const byOffset = reminders.map((offset) => ({ name: offset, due: addDuration(starts, offset, zone) }));
    if (remindDays === null) return byOffset;
    return [...byOffset, { name: `${remindDays} days`, due: addDays(created, remindDays, zone) }];
  }

  private computeHomeworkReminders({ id, week, planned_date: date }: SessionRow) {
    const weeks = this.series.plan[this.revisions.get(id)! - 1]!;
    const assignments = weeks.find(({ ordering }) => ordering === week)?.assignments ?? [];
    const [year, month, day] = date.split('-').map(Number) as [number, number, number];
    return assignments.flatMap(({ bookId, assignReminds }) =>
      assignReminds.map(({ reminderDay, time }) => {
        const [hour, minute] = time.split(':').map(Number) as [number, number];
        const local = (toDayNumber(year, month, day) + reminderDay - 1) * DAY + (hour * 60 + minute) * MINUTE;
        return { name: `book ${bookId} day ${reminderDay} ${time}`, due: toInstant(local, this.series.clientZone) };
      }),
    );
  }
}

const milliseconds = (column: string) => sql<number>`(extract(epoch from ${sql.ref(column)}) * 1000)::float8`;

const selectSessions = (seriesId: string) => sql<SessionRow>`
  select s.id::int, r.revision, s.plan_week as week, s.planned_date, s.status, s.client_id::int, s.caregiver_id::int,
    ${milliseconds('s.starts_at')} as starts, ${milliseconds('s.created_at')} as created
  from session s join session_series r on r.clinic_id = s.clinic_id and r.id = s.series_id
  where s.series_id = ${seriesId} order by s.id`;

const selectReminders = (seriesId: string) => sql<ReminderRow>`
  select m.session_id::int, m.recipient_kind || ' ' || m.recipient_id as recipient, m.rule, m.status, m.reason, m.story,
    ${milliseconds('m.due_at')} as due, ${milliseconds('m.send_at')} as send
  from session s join reminder m on m.clinic_id = s.clinic_id and m.session_id = s.id
  where s.series_id = ${seriesId} order by m.id`;

function toKey({ session_id, recipient, rule, due }: ReminderRow): string {
  return `${session_id} ${recipient} ${toRuleName(rule)} ${due}`;
}

function toRuleName({ kind, days, offset, bookId, reminderDay, time }: Rule): string {
  if (kind === 'REMIND_DAYS') return `${days} days`;
  return kind === 'AROUND_START' ? offset! : `book ${bookId} day ${reminderDay} ${time}`;
}

/**
 * Returns the keys under which a reminder was sent. If the Session moved after the reminder was queued, the earlier due
 * time counts.
 */
function findSentKeys(row: ReminderRow): string[] {
  const first = row.story.find(({ what }) => what === 'MOVED');
  let due = first === undefined ? row.due : toMilliseconds(first.from!);
  let dueWhenQueued = due;
  return row.story.flatMap(({ what, to }) => {
    if (what === 'MOVED') due = toMilliseconds(to!);
    if (what === 'QUEUED') dueWhenQueued = due;
    return what === 'SENT' ? [toKey({ ...row, due: dueWhenQueued })] : [];
  });
}

/** Returns a line for each key in `some` that is not in `others`. Repeated keys are counted. */
function describeDifferences(text: string, some: readonly string[], others: readonly string[]): string[] {
  const remaining = [...others];
  return some.flatMap((key) => {
    const index = remaining.indexOf(key);
    if (index >= 0) remaining.splice(index, 1);
    return index >= 0 ? [] : [`${key} ${text}`];
  });
}

/* Calendar and time zone arithmetic. Local times are represented as milliseconds, as if they were in UTC. */

function addDuration(instant: number, duration: string, zone: string): number {
  const [, sign, days = '0', hours = '0'] = /^(-?)P(?:(\d+)D)?(?:T(\d+)H)?$/.exec(duration)!;
  const factor = sign === '-' ? -1 : 1;
  const moved = days === '0' ? instant : addDays(instant, factor * Number(days), zone);
  return moved + factor * Number(hours) * 60 * MINUTE;
}

function addDays(instant: number, days: number, zone: string): number {
  return toInstant(instant + getOffset(instant, zone) + days * DAY, zone);
}

/**
 * Returns the first instant at a local time. If a clock change skips the local time, it moves forward by the length of
 * the gap.
 */
function toInstant(local: number, zone: string): number {
  const [before, afterwards] = [getOffset(local - DAY, zone), getOffset(local + DAY, zone)];
  const instants = [local - before, local - afterwards].filter((each) => each + getOffset(each, zone) === local);
  return instants.length === 0 ? local - before : Math.min(...instants);
}

const formats = new Map<string, Intl.DateTimeFormat>();

function getOffset(instant: number, timeZone: string): number {
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  formats.set(timeZone, format);
  const name = format.formatToParts(instant).find(({ type }) => type === 'timeZoneName')!.value;
  const [, sign, hours, minutes] = /^GMT(?:([+-])(\d\d):(\d\d))?$/.exec(name)!;
  return sign === undefined ? 0 : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE;
}

/** Returns the number of days from 1970-01-01 to a Gregorian date. */
function toDayNumber(year: number, month: number, day: number): number {
  const [y, m] = month > 2 ? [year, month - 3] : [year - 1, month + 9];
  return (
    365 * y +
    Math.floor(y / 4) -
    Math.floor(y / 100) +
    Math.floor(y / 400) +
    Math.floor((153 * m + 2) / 5) +
    day -
    719_469
  );
}

/** Converts an ISO 8601 text in UTC to milliseconds since 1970. */
function toMilliseconds(text: string): number {
  type Parts = [number, number, number, number, number, number];
  const [year, month, day, hour, minute, second] = text.split(/[-T:Z]/).map(Number) as Parts;
  return toDayNumber(year, month, day) * DAY + (hour * 60 + minute) * MINUTE + Math.round(second * 1000);
}
