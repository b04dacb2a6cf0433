/*
 * What a series is, in plain lists, and what each operation does to it: written from what the operations say of
 * themselves (OpenAPI descriptions, README), and from nothing of src/session.
 */

export type Remind = { reminderDay: number; time: string };
export type Week = { ordering: number; assignments: { bookId: number; assignReminds: Remind[] }[] };
export type Scope = 'this' | 'following' | 'series';

/** Which Session a command is about: its index among those that are there, modulo. */
export type Command =
  | { kind: 'move'; session: number; scope: Scope; days: number; time: string | null }
  | { kind: 'cancel'; session: number; scope: Scope }
  | { kind: 'undo'; session: number; scope: Scope }
  | { kind: 'complete' | 'no-show'; session: number }
  | { kind: 'shift'; session: number | null; days: number }
  | { kind: 'skip-week'; session: number | null }
  | { kind: 'pause' | 'resume' }
  | { kind: 'revise'; weeks: Week[] | null; revision: number | null }
  | { kind: 'advance'; hours: number }
  | { kind: 'deliver' };

type Status = 'SCHEDULED' | 'PAUSED' | 'COMPLETED' | 'NO_SHOW' | 'CANCELLED';
type Rule =
  | { days: number }
  | { offset: string }
  /** On a day of the week of the Session, at a time in the Client's zone. */
  | ({ book: ModelHomework } & Remind);
type ModelReminder = {
  recipient: 'CLIENT' | 'CARE_PROVIDER';
  rule: Rule;
  createdAt: Temporal.Instant;
  dueAt: Temporal.Instant;
  /** skipped: it was planned after its time, or its Session had begun when its time came. */
  state: 'waits' | 'held' | 'sent' | 'skipped';
};
type ModelHomework = { bookId: number };
export type ModelSession = {
  position: number;
  planWeek: number;
  planned: Temporal.PlainDateTime;
  status: Status;
  /** When, and why, it came into its state. */
  since: Temporal.Instant | null;
  outOfPlan: boolean;
  homework: ModelHomework[];
  reminders: ModelReminder[];
};

export type SeriesRequest = {
  weeks: Week[];
  fromWeek: number | null;
  first: string;
  intervalDays: number;
  remindDays: number | null;
  reminders: string[];
};

/** What the service answers to a command that it does not carry out. */
export class Refused extends Error {
  constructor(readonly status: 409 | 422) {
    super(String(status));
  }
}

const UNDO_LIMIT = { hours: 30 * 24 };
const compare = (one: Temporal.Instant, other: Temporal.Instant) => Temporal.Instant.compare(one, other);

export class SeriesModel {
  sessions: ModelSession[] = [];
  paused = false;
  /** What each revision of the plan says; the first is revision 1. */
  readonly plan: Week[][];
  revision = 1;

  constructor(
    private readonly request: SeriesRequest,
    private readonly zone: string,
    private readonly clientZone: string,
    public now: Temporal.Instant,
  ) {
    this.plan = [request.weeks];
    const first = Temporal.PlainDateTime.from(request.first);
    this.weeks().forEach((week, index) =>
      this.add(week, index + 1, first.add({ days: index * request.intervalDays }), 'SCHEDULED'),
    );
  }

  startOf(session: Pick<ModelSession, 'planned'>): Temporal.Instant {
    return session.planned.toZonedDateTime(this.zone).toInstant();
  }

  at(index: number): ModelSession {
    return this.sessions[index % this.sessions.length]!;
  }

  /** Carries a command out, or throws Refused and changes nothing. */
  run(command: Command): void {
    switch (command.kind) {
      case 'advance':
        this.now = this.now.add({ hours: command.hours });
        break;
      case 'deliver':
        for (const session of this.sessions)
          for (const reminder of session.reminders)
            if (reminder.state === 'waits' && compare(reminder.dueAt, this.now) <= 0)
              reminder.state = this.isTooLateFor(session, reminder) ? 'skipped' : 'sent';
        break;
      case 'move':
        this.move(command);
        break;
      case 'cancel': {
        const session = this.at(command.session);
        if (!isOpen(session)) throw new Refused(409);
        this.follow(this.inScope(session, command.scope), (each) => this.become(each, 'CANCELLED'));
        break;
      }
      case 'undo':
        this.undo(this.at(command.session), command.scope);
        break;
      case 'complete':
      case 'no-show': {
        const session = this.at(command.session);
        if (session.status !== 'SCHEDULED' || this.isAhead(session)) throw new Refused(409);
        this.follow([session], () => this.become(session, command.kind === 'complete' ? 'COMPLETED' : 'NO_SHOW'));
        break;
      }
      case 'shift':
        this.moveRest(command.session, command.days);
        break;
      case 'skip-week':
        this.moveRest(command.session, this.request.intervalDays);
        break;
      case 'pause': {
        const rest = this.rest();
        if (this.paused || rest.length === 0) throw new Refused(409);
        this.paused = true;
        this.follow(rest, (each) => this.become(each, 'PAUSED'));
        break;
      }
      case 'resume':
        this.resume();
        break;
      case 'revise':
        this.revise(command.revision);
        break;
    }
  }

  /** The addressed one moves by days and to a time; others by as many days, those at the same time to the new one. */
  private move({ session: index, scope, days, time }: Command & { kind: 'move' }): void {
    const session = this.at(index);
    const from = session.planned;
    const moves = days !== 0 || (time !== null && time !== clock(from));
    if (moves && !isOpen(session)) throw new Refused(409);
    this.follow(this.inScope(session, scope), (each) => {
      if (!moves) return;
      const isAtSameTime = clock(each.planned) === clock(from);
      each.planned = each.planned.add({ days });
      if (time !== null && isAtSameTime) each.planned = each.planned.withPlainTime(time);
    });
  }

  private undo(session: ModelSession, scope: Scope): void {
    const { status, since } = session;
    if (isOpen(session) || since === null || compare(since.add(UNDO_LIMIT), this.now) < 0) throw new Refused(409);
    const isSameStep = (each: ModelSession) => each.status === status && each.since?.equals(since) === true;
    const same = this.sessions.filter(
      (each) => each === session || (isSameStep(each) && isWithin(each, session, scope)),
    );
    // A revision that brought the week back has made another Session of it.
    const isBack = (each: ModelSession) =>
      this.sessions.some((other) => other !== each && other.planWeek === each.planWeek && other.status !== 'CANCELLED');
    if (same.some(isBack)) throw new Refused(409);
    this.follow(same, (each) => {
      this.become(each, this.paused && this.isAhead(each) ? 'PAUSED' : 'SCHEDULED');
      each.outOfPlan = false;
    });
  }

  private moveRest(index: number | null, days: number): void {
    const rest = this.rest();
    if (rest.length === 0) throw new Refused(409);
    const from = index === null ? rest[0]! : this.at(index);
    const moved = rest.filter(({ position }) => position >= from.position);
    const isLate = (each: ModelSession) =>
      compare(this.startOf({ planned: each.planned.add({ days }) }), this.now) <= 0;
    if (!rest.includes(from) || moved.some(isLate)) throw new Refused(422);
    this.follow(moved, (each) => (each.planned = each.planned.add({ days })));
  }

  /** All that is held goes on; when the first of it is late, all of it by the fewest intervals that make it early. */
  private resume(): void {
    if (!this.paused) throw new Refused(409);
    this.paused = false;
    const held = this.sessions.filter(({ status }) => status === 'PAUSED');
    const first = held.toSorted((a, b) => compare(this.startOf(a), this.startOf(b)))[0];
    let days = 0;
    while (first && compare(this.startOf({ planned: first.planned.add({ days }) }), this.now) <= 0)
      days += this.request.intervalDays;
    this.follow(held, (each) => {
      this.become(each, 'SCHEDULED');
      each.planned = each.planned.add({ days });
    });
  }

  /**
   * What has happened stays, and the weeks before it are over. The weeks to come take the places to come in the
   * plan's order, with more places at the interval behind the last; a week keeps its Session.
   */
  private revise(asked: number | null): void {
    const revision = asked ?? this.plan.length;
    if (revision <= this.revision) throw new Refused(409);
    if (revision > this.plan.length) throw new Refused(422);
    this.revision = revision;
    const rest = this.rest();
    const over = this.sessions
      .filter((each) => !rest.includes(each) && !each.outOfPlan)
      .map(({ planWeek }) => planWeek);
    const reached = Math.max(
      -1,
      ...this.sessions.filter((each) => this.hasHappened(each)).map(({ planWeek }) => planWeek),
    );
    const wanted = this.weeks().filter(({ ordering }) => !over.includes(ordering) && ordering > reached);
    const places = rest.map(({ planned }) => planned).toSorted((a, b) => Temporal.PlainDateTime.compare(a, b));
    const all = this.sessions.map(({ planned }) => planned).toSorted((a, b) => Temporal.PlainDateTime.compare(a, b));
    let next = places.at(-1) ?? all.at(-1)!;
    while (places.length < wanted.length) {
      next = next.add({ days: this.request.intervalDays });
      if (compare(this.startOf({ planned: next }), this.now) > 0) places.push(next);
    }
    const kept = new Map(wanted.map((week) => [week, rest.find(({ planWeek }) => planWeek === week.ordering)]));
    const gone = rest.filter((each) => ![...kept.values()].includes(each));
    wanted.forEach((week, index) => {
      const session = kept.get(week);
      const planned = places[index]!;
      if (session === undefined) {
        this.add(week, this.sessions.length + 1, planned, this.paused ? 'PAUSED' : 'SCHEDULED');
      } else {
        session.planned = planned;
        this.giveHomework(session, week);
        this.follow([session]);
      }
    });
    this.follow(gone, (each) => {
      this.become(each, 'CANCELLED');
      each.outOfPlan = true;
    });
  }

  private weeks(): Week[] {
    const weeks = this.plan[this.revision - 1]!.filter(({ ordering }) => ordering >= (this.request.fromWeek ?? 0));
    return weeks.toSorted((a, b) => a.ordering - b.ordering);
  }

  private add(week: Week, position: number, planned: Temporal.PlainDateTime, status: Status): void {
    const place = { position, planWeek: week.ordering, planned, status, since: null, outOfPlan: false };
    const session: ModelSession = { ...place, homework: [], reminders: [] };
    const { remindDays, reminders } = this.request;
    const rules: Rule[] = reminders.map((offset) => ({ offset }));
    if (remindDays !== null) rules.push({ days: remindDays });
    for (const rule of rules)
      for (const recipient of ['CLIENT', 'CARE_PROVIDER'] as const) this.remind(session, recipient, rule);
    this.giveHomework(session, week);
    this.sessions.push(session);
    if (status === 'PAUSED') {
      session.since = this.now;
      this.follow([session]);
    }
  }

  /** The Books of a week, and their reminders: what is not wanted any more goes, what is new comes, the rest stays. */
  private giveHomework(session: ModelSession, { assignments }: Week): void {
    const wants = new Map(assignments.map(({ bookId, assignReminds }) => [bookId, assignReminds]));
    session.homework = session.homework.filter(({ bookId }) => wants.has(bookId));
    for (const bookId of wants.keys())
      if (session.homework.every((book) => book.bookId !== bookId)) session.homework.push({ bookId });
    const isWanted = (rule: Rule) =>
      !('book' in rule) ||
      (session.homework.includes(rule.book) && wants.get(rule.book.bookId)!.some((at) => same(at, rule)));
    session.reminders = session.reminders.filter(
      ({ rule, state }) =>
        isWanted(rule) || (state === 'sent' && 'book' in rule && session.homework.includes(rule.book)),
    );
    for (const book of session.homework)
      for (const at of wants.get(book.bookId)!)
        if (!session.reminders.some(({ rule }) => 'book' in rule && rule.book === book && same(at, rule)))
          this.remind(session, 'CLIENT', { book, ...at });
  }

  private remind(session: ModelSession, recipient: ModelReminder['recipient'], rule: Rule): void {
    const reminder: ModelReminder = { recipient, rule, createdAt: this.now, dueAt: this.now, state: 'waits' };
    reminder.dueAt = this.dueOf(session, reminder);
    if (this.isPast(session, reminder)) reminder.state = 'skipped';
    session.reminders.push(reminder);
  }

  /** What leads up to a Session is not sent once it has begun. */
  private isTooLateFor(session: ModelSession, { rule, dueAt }: ModelReminder): boolean {
    return !('book' in rule) && compare(dueAt, this.startOf(session)) < 0 && !this.isAhead(session);
  }

  /** Too late to be planned at all. */
  private isPast(session: ModelSession, reminder: ModelReminder): boolean {
    return compare(reminder.dueAt.add({ minutes: 15 }), this.now) < 0 || this.isTooLateFor(session, reminder);
  }

  private dueOf(session: ModelSession, { rule, createdAt }: ModelReminder): Temporal.Instant {
    if ('days' in rule) return createdAt.toZonedDateTimeISO(this.zone).add({ days: rule.days }).toInstant();
    if ('offset' in rule) return this.startOf(session).toZonedDateTimeISO(this.zone).add(rule.offset).toInstant();
    const day = session.planned.toPlainDate().add({ days: rule.reminderDay - 1 });
    return day.toZonedDateTime({ timeZone: this.clientZone, plainTime: rule.time }).toInstant();
  }

  /** Changes Sessions, and has their reminders follow: what is unsent goes along, what was sent comes again. */
  private follow(sessions: ModelSession[], change: (session: ModelSession) => void = () => undefined): void {
    for (const session of sessions) {
      change(session);
      const unsent = session.reminders.filter(({ state }) => state !== 'sent');
      for (const reminder of unsent) {
        const due = this.dueOf(session, reminder);
        const hasMoved = !due.equals(reminder.dueAt);
        reminder.dueAt = due;
        const isMissed = reminder.state === 'held' && compare(due, this.now) <= 0;
        if (isMissed || !this.isAsked(session, reminder) || wasSentFor(session, reminder, due)) {
          if (reminder.state !== 'skipped' || hasMoved) reminder.state = 'held';
        } else if (reminder.state === 'held' || hasMoved)
          reminder.state = this.isPast(session, reminder) ? 'skipped' : 'waits';
      }
      for (const { recipient, rule, ...sent } of session.reminders.filter(({ state }) => state === 'sent')) {
        const waits = session.reminders.some(
          (each) => each.state !== 'sent' && each.recipient === recipient && each.rule === rule,
        );
        const again: ModelReminder = { recipient, rule, createdAt: sent.createdAt, dueAt: sent.dueAt, state: 'waits' };
        again.dueAt = this.dueOf(session, again);
        const isNew = !wasSentFor(session, again, again.dueAt) && compare(again.dueAt, this.now) > 0;
        if (!waits && isNew && this.isAsked(session, again)) session.reminders.push({ ...again, createdAt: this.now });
      }
    }
  }

  /** Once a Session is over, only its homework and what comes after it is still reminded of. */
  private isAsked(session: ModelSession, { rule, dueAt }: ModelReminder): boolean {
    if (session.status === 'SCHEDULED') return true;
    if (session.status === 'PAUSED' || session.status === 'CANCELLED') return false;
    return 'book' in rule || compare(dueAt, this.startOf(session)) > 0;
  }

  private become(session: ModelSession, status: Status): void {
    session.status = status;
    session.since = this.now;
  }

  private isAhead(session: ModelSession): boolean {
    return compare(this.startOf(session), this.now) > 0;
  }

  /** What has not happened and still can; what is paused waits, however long. */
  private rest(): ModelSession[] {
    return this.sessions.filter(
      (each) => each.status === 'PAUSED' || (each.status === 'SCHEDULED' && this.isAhead(each)),
    );
  }

  private hasHappened(session: ModelSession): boolean {
    return session.status !== 'PAUSED' && session.status !== 'CANCELLED' && !this.isAhead(session);
  }

  private inScope(session: ModelSession, scope: Scope): ModelSession[] {
    const rest = this.rest();
    return this.sessions.filter((each) => each === session || (rest.includes(each) && isWithin(each, session, scope)));
  }
}

const isOpen = ({ status }: ModelSession) => status === 'SCHEDULED' || status === 'PAUSED';
const isWithin = (each: ModelSession, session: ModelSession, scope: Scope) =>
  scope === 'series' || (scope === 'following' && each.position > session.position);
const clock = (planned: Temporal.PlainDateTime) => planned.toPlainTime().toString({ smallestUnit: 'minute' });
/** The same is not sent twice for one due time. */
const wasSentFor = ({ reminders }: ModelSession, { recipient, rule }: ModelReminder, due: Temporal.Instant) =>
  reminders.some((each) => isSameFor(each, recipient, rule) && each.state === 'sent' && each.dueAt.equals(due));
const isSameFor = (each: ModelReminder, recipient: string, rule: Rule) =>
  each.recipient === recipient && each.rule === rule;
const same = (one: Remind, other: Remind) => one.reminderDay === other.reminderDay && one.time === other.time;
