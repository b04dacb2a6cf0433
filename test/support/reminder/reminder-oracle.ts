import { sql } from 'kysely';
import type { TestApp } from '../app/test-app.js';

/*
 * Which reminders a series must have, worked out from nothing but its Sessions as they stand: every reminder that is
 * ahead is what a fresh apply at these times would plan, plus what was sent. Written without Temporal and without the
 * code that plans reminders, so that a fault in either shows.
 *
 * Named exceptions: `remindDays` counts from the creation of its Session; a reminder whose time had passed when it
 * came back (`resume`, `undo`) is not ahead; what was withdrawn from a person who has left comes back only with a change
 * of the Session.
 */

type Assigned = { bookId: number; assignReminds: readonly { reminderDay: number; time: string }[] };
type PlanWeek = { ordering: number; assignments: readonly Assigned[] };

export type OracleSeries = {
  seriesId: string;
  zone: string;
  clientZone: string;
  remindDays: number | null;
  reminders: readonly string[];
  /** What each revision of the plan says; the first is revision 1. It grows while the series runs. */
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
type Chapter = { what: string; from?: string; to?: string };
type ReminderRow = {
  session_id: number;
  recipient: string;
  rule: Rule;
  due: number;
  send: number;
  status: string;
  reason: string | null;
  story: Chapter[];
};

const DAY = 86_400_000;
const MINUTE = 60_000;

/** Of one series, from its beginning on: to be asked after every step. */
export class ReminderOracle {
  /** The revision that gave a Session its homework: a newer one changes only Sessions that are still ahead. */
  private readonly revisions = new Map<number, number>();
  private before: readonly SessionRow[] = [];
  private revision = 1;

  constructor(
    private readonly app: TestApp,
    private readonly setting: OracleSeries,
  ) {}

  /** What is wrong with the reminders of the series, in words; nothing: all are as they must be. */
  async findMismatches(now: string): Promise<string[]> {
    const at = millisecondsOf(now);
    const sessions = await this.app.queryRows(sessionsOf(this.setting.seriesId));
    const rows = await this.app.queryRows(remindersOf(this.setting.seriesId));
    this.noteRevision(sessions, at);
    const sent = rows.flatMap(sendsOf);
    const settled = new Set([...sent, ...rows.filter(({ reason }) => reason === 'RECIPIENT_LEFT').map(keyOf)]);
    const expected = sessions.flatMap((session) => this.plannedFor(session)).filter(({ due }) => due > at);
    const missing = expected.map(({ key }) => key).filter((key) => !settled.has(key));
    const waiting = rows.filter(({ status, due }) => (status === 'PENDING' || status === 'QUEUED') && due > at);
    return [
      ...differences('is missing', missing, waiting.map(keyOf)),
      ...differences('should not wait', waiting.map(keyOf), missing),
      ...waiting.filter(({ due, send }) => send !== due).map((row) => `${keyOf(row)} is sent at another time`),
      ...sent.filter((key, index) => sent.indexOf(key) !== index).map((key) => `${key} was sent twice`),
    ];
  }

  private noteRevision(sessions: readonly SessionRow[], now: number): void {
    const current = sessions[0]!.revision;
    const isAhead = ({ status, starts }: SessionRow) => status === 'PAUSED' || (status === 'SCHEDULED' && starts > now);
    // As they were before this step.
    const ahead = new Set(this.before.filter(isAhead).map(({ id }) => id));
    for (const { id, status } of sessions) {
      const isRevised = current !== this.revision && ahead.has(id) && status !== 'CANCELLED';
      if (!this.revisions.has(id) || isRevised) this.revisions.set(id, current);
    }
    [this.before, this.revision] = [sessions, current];
  }

  private plannedFor(session: SessionRow): { key: string; due: number }[] {
    const { status, starts, id } = session;
    if (status === 'PAUSED' || status === 'CANCELLED') return [];
    const around = this.aroundStart(session).filter(({ due }) => status === 'SCHEDULED' || due > starts);
    const ofBoth = around.flatMap(({ name, due }) => [
      { key: `${id} CLIENT ${session.client_id} ${name} ${due}`, due },
      { key: `${id} CARE_PROVIDER ${session.caregiver_id} ${name} ${due}`, due },
    ]);
    const ofHomework = this.homework(session).map(({ name, due }) => {
      return { key: `${id} CLIENT ${session.client_id} ${name} ${due}`, due };
    });
    return [...ofBoth, ...ofHomework];
  }

  private aroundStart({ starts, created }: SessionRow) {
    const { zone, remindDays, reminders } = this.setting;
    const given = reminders.map((offset) => ({ name: offset, due: after(starts, offset, zone) }));
    if (remindDays === null) return given;
    return [...given, { name: `${remindDays} days`, due: daysAfter(created, remindDays, zone) }];
  }

  private homework({ id, week, planned_date: date }: SessionRow) {
    const weeks = this.setting.plan[this.revisions.get(id)! - 1]!;
    const assignments = weeks.find(({ ordering }) => ordering === week)?.assignments ?? [];
    const [year, month, day] = date.split('-').map(Number) as [number, number, number];
    return assignments.flatMap(({ bookId, assignReminds }) =>
      assignReminds.map(({ reminderDay, time }) => {
        const [hour, minute] = time.split(':').map(Number) as [number, number];
        const local = (dayNumber(year, month, day) + reminderDay - 1) * DAY + (hour * 60 + minute) * MINUTE;
        return { name: `book ${bookId} day ${reminderDay} ${time}`, due: instantOf(local, this.setting.clientZone) };
      }),
    );
  }
}

const milliseconds = (column: string) => sql<number>`(extract(epoch from ${sql.ref(column)}) * 1000)::float8`;

const sessionsOf = (seriesId: string) => sql<SessionRow>`
  select s.id::int, r.revision, s.plan_week as week, s.planned_date, s.status, s.client_id::int, s.caregiver_id::int,
    ${milliseconds('s.starts_at')} as starts, ${milliseconds('s.created_at')} as created
  from session s join session_series r on r.id = s.series_id where s.series_id = ${seriesId} order by s.id`;

const remindersOf = (seriesId: string) => sql<ReminderRow>`
  select m.session_id::int, m.recipient_kind || ' ' || m.recipient_id as recipient, m.rule, m.status, m.reason, m.story,
    ${milliseconds('m.due_at')} as due, ${milliseconds('m.send_at')} as send
  from session s join reminder m on m.clinic_id = s.clinic_id and m.session_id = s.id
  where s.series_id = ${seriesId} order by m.id`;

function keyOf({ session_id, recipient, rule, due }: ReminderRow): string {
  return `${session_id} ${recipient} ${nameOf(rule)} ${due}`;
}

function nameOf({ kind, days, offset, bookId, reminderDay, time }: Rule): string {
  if (kind === 'REMIND_DAYS') return `${days} days`;
  return kind === 'AROUND_START' ? offset! : `book ${bookId} day ${reminderDay} ${time}`;
}

/** For which due times a reminder was sent, by its history: a move after the hand-over came too late for the message. */
function sendsOf(row: ReminderRow): string[] {
  const first = row.story.find(({ what }) => what === 'MOVED');
  let due = first === undefined ? row.due : millisecondsOf(first.from!);
  let handedOver = due;
  return row.story.flatMap(({ what, to }) => {
    if (what === 'MOVED') due = millisecondsOf(to!);
    if (what === 'QUEUED') handedOver = due;
    return what === 'SENT' ? [keyOf({ ...row, due: handedOver })] : [];
  });
}

function differences(what: string, some: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return some.flatMap((key) => {
    const index = left.indexOf(key);
    if (index >= 0) left.splice(index, 1);
    return index >= 0 ? [] : [`${key} ${what}`];
  });
}

/* The calendar and the clock, by hand. Local times are milliseconds as if they stood in UTC. */

function after(instant: number, duration: string, zone: string): number {
  const [, sign, days = '0', hours = '0'] = /^(-?)P(?:(\d+)D)?(?:T(\d+)H)?$/.exec(duration)!;
  const factor = sign === '-' ? -1 : 1;
  const moved = days === '0' ? instant : daysAfter(instant, factor * Number(days), zone);
  return moved + factor * Number(hours) * 60 * MINUTE;
}

function daysAfter(instant: number, days: number, zone: string): number {
  return instantOf(instant + offsetAt(instant, zone) + days * DAY, zone);
}

/** The first instant at a local time; of one that the clock skips, as far after the jump as it stands in the gap. */
function instantOf(local: number, zone: string): number {
  const [before, afterwards] = [offsetAt(local - DAY, zone), offsetAt(local + DAY, zone)];
  const instants = [local - before, local - afterwards].filter((each) => each + offsetAt(each, zone) === local);
  return instants.length === 0 ? local - before : Math.min(...instants);
}

const formats = new Map<string, Intl.DateTimeFormat>();

function offsetAt(instant: number, timeZone: string): number {
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  formats.set(timeZone, format);
  const name = format.formatToParts(instant).find(({ type }) => type === 'timeZoneName')!.value;
  const [, sign, hours, minutes] = /^GMT(?:([+-])(\d\d):(\d\d))?$/.exec(name)!;
  return sign === undefined ? 0 : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE;
}

/** Days since 1970-01-01 of a date of the Gregorian calendar. */
function dayNumber(year: number, month: number, day: number): number {
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

/** Of an ISO 8601 text in UTC. */
function millisecondsOf(text: string): number {
  type Parts = [number, number, number, number, number, number];
  const [year, month, day, hour, minute, second] = text.split(/[-T:Z]/).map(Number) as Parts;
  return dayNumber(year, month, day) * DAY + (hour * 60 + minute) * MINUTE + Math.round(second * 1000);
}
