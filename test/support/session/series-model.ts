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
  | { kind: 'undo'; session: number; scope: Scope; at?: 'before' | 'series' }
  | { kind: 'complete' | 'no-show'; session: number }
  | { kind: 'shift'; session: number | null; days: number }
  | { kind: 'skip-week'; session: number | null }
  | { kind: 'pause' | 'resume' }
  | { kind: 'revise'; weeks: Week[] | null; revision: number | null }
  /** Care Providers are 0 and 1; 0 has the series at first. */
  | { kind: 'hand-over'; from: 0 | 1 }
  | { kind: 'leave' | 'return'; who: 0 | 1 | 'client' }
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
  careProvider: 0 | 1;
  /** Whether somebody has chosen its time for it alone, or against the order of the series. */
  byHand: boolean;
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
  /** Whose new weeks are, and whose Client it is. */
  careProvider: 0 | 1 = 0;
  assignedTo: 0 | 1 = 0;
  readonly left = new Set<0 | 1 | 'client'>();
  /** Whether somebody else than the first Care Provider had to do with it. */
  hasChangedHands = false;
  /** Places of the Sessions of which the last command has warned that they are out of order. */
  outOfOrder: number[] = [];
  /** Whole days by which the last command has left time out. */
  skipped = 0;
  /** What each revision of the plan says; the first is revision 1. */
  readonly plan: Week[][];
  revision = 1;

  constructor(
    readonly request: SeriesRequest,
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

  get intervalDays(): number {
    return this.request.intervalDays;
  }

  startOf(session: Pick<ModelSession, 'planned'>): Temporal.Instant {
    return session.planned.toZonedDateTime(this.zone).toInstant();
  }

  at(index: number): ModelSession {
    return this.sessions[index % this.sessions.length]!;
  }

  /** Carries a command out, or throws Refused and changes nothing. */
  run(command: Command): void {
    this.outOfOrder = [];
    this.skipped = 0;
    switch (command.kind) {
      case 'advance':
        this.now = this.now.add({ hours: command.hours });
        break;
      case 'deliver':
        for (const session of this.sessions)
          for (const reminder of session.reminders)
            if (reminder.state === 'waits' && compare(reminder.dueAt, this.now) <= 0)
              reminder.state =
                this.isTooLateFor(session, reminder) || this.isAfterDueDay(session, reminder) ? 'skipped' : 'sent';
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
        this.undo(this.at(command.session), command.scope, command.at ?? 'before');
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
      case 'hand-over':
        this.handOver(command.from);
        break;
      case 'leave':
        this.leave(command.who);
        break;
      case 'return':
        this.left.delete(command.who);
        break;
    }
  }

  /** The addressed one moves by days and to a time; others by as many days, those at the same time to the new one. */
  private move({ session: index, scope, days, time }: Command & { kind: 'move' }): void {
    const session = this.at(index);
    const from = session.planned;
    const moves = days !== 0 || (time !== null && time !== clock(from));
    if (moves && !isOpen(session)) throw new Refused(409);
    const target = ({ planned }: ModelSession) => {
      const moved = planned.add({ days });
      return time !== null && clock(planned) === clock(from) ? moved.withPlainTime(time) : moved;
    };
    const all = this.inScope(session, scope);
    const remains = (each: ModelSession) => each.status === 'PAUSED' || this.isAheadAt(target(each));
    if (moves) this.requirePresent(all.filter((each) => isOpen(each) && remains(each)));
    this.follow(all, (each) => {
      if (!moves) return;
      if (!this.rest().includes(each) && remains(each)) each.careProvider = this.careProvider;
      each.planned = target(each);
      each.byHand = true;
    });
  }

  private undo(session: ModelSession, scope: Scope, at: 'before' | 'series'): void {
    const { status, since } = session;
    if (isOpen(session) || since === null || compare(since.add(UNDO_LIMIT), this.now) < 0) throw new Refused(409);
    const isSameStep = (each: ModelSession) => each.status === status && each.since?.equals(since) === true;
    const same = this.sessions.filter(
      (each) => each === session || (isSameStep(each) && this.isWithin(each, session, scope)),
    );
    // A revision that brought the week back has made another Session of it.
    const isBack = (each: ModelSession) =>
      this.sessions.some((other) => other !== each && other.planWeek === each.planWeek && other.status !== 'CANCELLED');
    if (same.some(isBack)) throw new Refused(409);
    const places = same.map((each) => (status === 'CANCELLED' ? this.placeOf(each, same) : each.planned));
    if (
      status === 'CANCELLED' &&
      at === 'series' &&
      same.some((each, index) => this.isClosed(each, places[index]!, same))
    )
      throw new Refused(409);
    const isPutBack = (index: number) =>
      status === 'CANCELLED' && at === 'series' && this.hasNeighbour(same[index]!, same);
    const planned = same.map((each, index) => (isPutBack(index) ? places[index]! : each.planned));
    const becomes = same.map((_, index): Status => {
      return this.paused && (isPutBack(index) || this.isAheadAt(planned[index]!)) ? 'PAUSED' : 'SCHEDULED';
    });
    const coming = same.filter((_, index) => becomes[index] === 'PAUSED' || this.isAheadAt(planned[index]!));
    this.requirePresent(coming, this.careProvider);
    if (status === 'CANCELLED' && at === 'before')
      this.outOfOrder = same
        .filter((each, index) => !each.planned.equals(places[index]!) || this.isTaken(each.planned, same))
        .map(({ position }) => position);
    this.follow(same, (each) => {
      const index = same.indexOf(each);
      this.become(each, becomes[index]!);
      if (coming.includes(each)) each.careProvider = this.careProvider;
      if (status === 'CANCELLED') each.byHand = at === 'before' || each.byHand;
      each.planned = planned[index]!;
      each.outOfPlan = false;
    });
  }

  /** The nearest weeks that are still to come, before and after that of a Session. */
  private neighboursOf(session: ModelSession, returning: ModelSession[]): ModelSession[] {
    const ahead = this.rest().filter((each) => !returning.includes(each));
    const before = ahead.filter(({ planWeek }) => planWeek < session.planWeek);
    const after = ahead.filter(({ planWeek }) => planWeek > session.planWeek);
    const distance = ({ planWeek }: ModelSession) => Math.abs(planWeek - session.planWeek);
    const nearest = (all: ModelSession[]) => all.toSorted((a, b) => distance(a) - distance(b)).slice(0, 1);
    return [...nearest(before), ...nearest(after)];
  }

  private hasNeighbour(session: ModelSession, returning: ModelSession[]): boolean {
    return this.neighboursOf(session, returning).length > 0;
  }

  /** Where the week of a Session is in the series as it is now: whole intervals from its neighbour, a week for each. */
  private placeOf(session: ModelSession, returning: ModelSession[]): Temporal.PlainDateTime {
    const inPlan = this.sessions.filter((each) => !each.outOfPlan || returning.includes(each));
    const places = this.neighboursOf(session, returning).map(({ planned, planWeek }) => {
      const [low, high] = [planWeek, session.planWeek].toSorted((a, b) => a - b) as [number, number];
      const steps = new Set(inPlan.map((each) => each.planWeek).filter((week) => week > low && week <= high)).size;
      return planned.add({ days: (planWeek < session.planWeek ? steps : -steps) * this.request.intervalDays });
    });
    return places.find((place) => place.equals(session.planned)) ?? places[0] ?? session.planned;
  }

  private isTaken(place: Temporal.PlainDateTime, returning: ModelSession[]): boolean {
    return this.sessions.some(
      (each) => !returning.includes(each) && each.status !== 'CANCELLED' && each.planned.equals(place),
    );
  }

  private isClosed(session: ModelSession, place: Temporal.PlainDateTime, returning: ModelSession[]): boolean {
    if (this.isTaken(place, returning)) return true;
    return !this.paused && !this.isAheadAt(place) && !place.equals(session.planned);
  }

  private moveRest(index: number | null, days: number): void {
    const rest = this.rest();
    if (rest.length === 0) throw new Refused(409);
    const from = index === null ? rest[0]! : this.at(index);
    const moved = rest.slice(rest.indexOf(from));
    const isLate = (each: ModelSession) => days < 0 && !this.isAheadAt(each.planned.add({ days }));
    if (!rest.includes(from) || moved.some(isLate)) throw new Refused(422);
    this.skipped = Math.abs(days);
    this.follow(moved, (each) => {
      each.planned = each.planned.add({ days });
      each.byHand ||= days < 0;
    });
  }

  /** All that is held goes on; when the first of it is late, all of it by the fewest intervals that make it early. */
  private resume(): void {
    if (!this.paused) throw new Refused(409);
    this.paused = false;
    const held = this.sessions.filter(({ status }) => status === 'PAUSED');
    const first = held.toSorted((a, b) => compare(this.startOf(a), this.startOf(b)))[0];
    let days = 0;
    while (first && !this.isAheadAt(first.planned.add({ days }))) days += this.request.intervalDays;
    this.follow(held, (each) => {
      this.become(each, 'SCHEDULED');
      each.planned = each.planned.add({ days });
    });
  }

  /**
   * What has happened stays. What is still to come keeps its week and its turn; a new week comes right after those
   * before it, where it is not before what has happened. They take the places to come, with more places at the
   * interval behind the last that is not cancelled.
   */
  private revise(asked: number | null): void {
    const revision = asked ?? this.plan.length;
    if (revision <= this.revision) throw new Refused(409);
    if (revision > this.plan.length) throw new Refused(422);
    const rest = this.rest();
    const carried = rest.map(({ planWeek }) => planWeek);
    const over = this.sessions
      .filter((each) => !rest.includes(each) && !each.outOfPlan)
      .map(({ planWeek }) => planWeek);
    const happened = this.sessions.filter((each) => this.hasHappened(each)).map(({ planWeek }) => planWeek);
    const weeks = this.weeks(revision);
    const isNew = ({ ordering }: Week) => !carried.includes(ordering) && !over.includes(ordering);
    const fresh = weeks.filter((week) => isNew(week) && happened.every((reached) => week.ordering > reached));
    if (fresh.length > 0) this.requirePresent([], this.careProvider, true);
    this.revision = revision;
    const turns = carried.filter((ordering) => weeks.some((week) => week.ordering === ordering));
    for (const { ordering } of fresh) {
      const earlier = turns.filter((turn) => turn < ordering);
      turns.splice(earlier.length === 0 ? 0 : turns.lastIndexOf(earlier.at(-1)!) + 1, 0, ordering);
    }
    const places = rest.map(({ planned, byHand }) => ({ planned, byHand }));
    while (places.length < turns.length) places.push({ planned: this.nextPlace(places), byHand: false });
    const gone = rest.filter(({ planWeek }) => !turns.includes(planWeek));
    turns.forEach((ordering, index) => {
      const session = rest.find(({ planWeek }) => planWeek === ordering);
      this.giveWeek(
        session,
        weeks.find((week) => week.ordering === ordering)!,
        places[index]!,
      );
    });
    this.follow(gone, (each) => {
      this.become(each, 'CANCELLED');
      each.outOfPlan = true;
    });
    if (fresh.length + gone.length === 0) return;
    this.sessions.sort(this.byStart).forEach((each, index) => (each.position = index + 1));
  }

  private giveWeek(
    session: ModelSession | undefined,
    week: Week,
    { planned, byHand }: Pick<ModelSession, 'planned' | 'byHand'>,
  ): void {
    if (session === undefined) {
      this.add(week, this.sessions.length + 1, planned, this.paused ? 'PAUSED' : 'SCHEDULED');
      this.sessions.at(-1)!.byHand = byHand;
      return;
    }
    Object.assign(session, { planned, byHand });
    this.giveHomework(session, week);
    this.follow([session]);
  }

  /** @param places that are known already, those of what is still to come first */
  private nextPlace(places: Pick<ModelSession, 'planned'>[]): Temporal.PlainDateTime {
    const live = [...places, ...this.sessions.filter(({ status }) => status !== 'CANCELLED')].map(
      (each) => each.planned,
    );
    const later = (a: Temporal.PlainDateTime, b: Temporal.PlainDateTime) => Temporal.PlainDateTime.compare(a, b);
    const last = live.toSorted(later).at(-1);
    const days = this.request.intervalDays;
    let next = last?.add({ days }) ?? this.sessions.map(({ planned }) => planned).toSorted(later)[0]!;
    // In a paused series all that waits is taken on together.
    while (!(this.paused && places.length > 0) && !this.isAheadAt(next)) next = next.add({ days });
    return next;
  }

  /** What is still to come goes over, and the series with it. */
  private handOver(from: 0 | 1): void {
    const to = from === 0 ? 1 : 0;
    if (this.left.has(to)) throw new Refused(422);
    this.hasChangedHands = true;
    if (this.assignedTo !== from) return;
    this.assignedTo = to;
    if (this.careProvider === from) this.careProvider = to;
    const theirs = this.rest().filter(({ careProvider }) => careProvider === from);
    this.follow(theirs, (each) => (each.careProvider = to));
  }

  /** What is still to come with somebody who leaves is cancelled, and nobody writes to them. */
  private leave(who: 0 | 1 | 'client'): void {
    this.hasChangedHands = true;
    if (this.left.has(who)) return;
    this.left.add(who);
    const theirs = this.rest().filter(({ careProvider }) => who === 'client' || careProvider === who);
    this.follow(theirs, (each) => this.become(each, 'CANCELLED'));
    for (const session of this.sessions)
      for (const reminder of session.reminders) {
        const isTheirs =
          who === 'client'
            ? reminder.recipient === 'CLIENT'
            : reminder.recipient === 'CARE_PROVIDER' && session.careProvider === who;
        if (isTheirs && reminder.state === 'waits') reminder.state = 'held';
      }
  }

  /** Nothing is to come with somebody who has left. */
  private requirePresent(coming: ModelSession[], careProvider?: 0 | 1, isAny = coming.length > 0): void {
    if (!isAny) return;
    const with_ = careProvider === undefined ? coming.map((each) => this.providerOf(each)) : [careProvider];
    if (this.left.has('client') || with_.some((one) => this.left.has(one))) throw new Refused(409);
  }

  /** Who has a Session once it is to come. */
  private providerOf(session: ModelSession): 0 | 1 {
    return this.rest().includes(session) ? session.careProvider : this.careProvider;
  }

  private weeks(revision = this.revision): Week[] {
    const weeks = this.plan[revision - 1]!.filter(({ ordering }) => ordering >= (this.request.fromWeek ?? 0));
    return weeks.toSorted((a, b) => a.ordering - b.ordering);
  }

  private add(week: Week, position: number, planned: Temporal.PlainDateTime, status: Status): void {
    const place = { position, planWeek: week.ordering, planned, status, since: null, outOfPlan: false };
    const { careProvider } = this;
    const session: ModelSession = { ...place, careProvider, byHand: false, homework: [], reminders: [] };
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

  /** Homework is not reminded of after the day of the next Session. */
  private isAfterDueDay(session: ModelSession, { rule, dueAt }: ModelReminder): boolean {
    const dayOf = (instant: Temporal.Instant) => instant.toZonedDateTimeISO(this.zone).toPlainDate();
    const later = this.sessions.filter(({ status }) => status !== 'CANCELLED').map((each) => this.startOf(each));
    const next = later.filter((start) => compare(start, this.startOf(session)) > 0).toSorted(compare)[0];
    return 'book' in rule && next !== undefined && Temporal.PlainDate.compare(dayOf(dueAt), dayOf(next)) > 0;
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
    return this.isAheadAt(session.planned);
  }

  private isAheadAt(planned: Temporal.PlainDateTime): boolean {
    return compare(this.startOf({ planned }), this.now) > 0;
  }

  /** The order of a series is that of the calendar. */
  private readonly byStart = (one: ModelSession, other: ModelSession): number =>
    compare(this.startOf(one), this.startOf(other)) || one.position - other.position;

  /** What has not happened and still can, by the calendar; what is paused waits, however long. */
  private rest(): ModelSession[] {
    const remains = (each: ModelSession) =>
      each.status === 'PAUSED' || (each.status === 'SCHEDULED' && this.isAhead(each));
    return this.sessions.filter(remains).sort(this.byStart);
  }

  private hasHappened(session: ModelSession): boolean {
    return session.status !== 'PAUSED' && session.status !== 'CANCELLED' && !this.isAhead(session);
  }

  private inScope(session: ModelSession, scope: Scope): ModelSession[] {
    const rest = this.rest();
    return this.sessions.filter(
      (each) => each === session || (rest.includes(each) && this.isWithin(each, session, scope)),
    );
  }

  private isWithin(each: ModelSession, session: ModelSession, scope: Scope): boolean {
    return scope === 'series' || (scope === 'following' && this.byStart(each, session) > 0);
  }
}

const isOpen = ({ status }: ModelSession) => status === 'SCHEDULED' || status === 'PAUSED';
const clock = (planned: Temporal.PlainDateTime) => planned.toPlainTime().toString({ smallestUnit: 'minute' });
/** The same is not sent twice for one due time. */
const wasSentFor = ({ reminders }: ModelSession, { recipient, rule }: ModelReminder, due: Temporal.Instant) =>
  reminders.some((each) => isSameFor(each, recipient, rule) && each.state === 'sent' && each.dueAt.equals(due));
const isSameFor = (each: ModelReminder, recipient: string, rule: Rule) =>
  each.recipient === recipient && each.rule === rule;
const same = (one: Remind, other: Remind) => one.reminderDay === other.reminderDay && one.time === other.time;
