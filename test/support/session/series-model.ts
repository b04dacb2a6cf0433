/*
 * A simple model of a series, and of the effect of each operation. It follows the OpenAPI descriptions and the
 * documentation, and shares no code with src/session.
 */

type HomeworkReminderTime = { reminderDay: number; time: string };
export type ModelWeek = { ordering: number; assignments: { bookId: number; assignReminds: HomeworkReminderTime[] }[] };
type Scope = 'this' | 'following' | 'series';

/** A command on the series. `session` is an index into its Sessions, modulo their number. */
export type SeriesCommand =
  | { kind: 'move'; session: number; scope: Scope; days: number; time: string | null }
  | { kind: 'cancel'; session: number; scope: Scope }
  | { kind: 'undo'; session: number; scope: Scope; at?: 'before' | 'series' }
  | { kind: 'complete' | 'no-show'; session: number }
  | { kind: 'shift'; session: number | null; days: number }
  | { kind: 'skip-week'; session: number | null }
  | { kind: 'pause' | 'resume' }
  | { kind: 'revise'; weeks: ModelWeek[] | null; revision: number | null }
  /** Care Providers are numbered 0 and 1. The series initially belongs to Care Provider 0. */
  | { kind: 'hand-over'; from: 0 | 1 }
  | { kind: 'leave' | 'return'; who: 0 | 1 | 'client' }
  | { kind: 'advance'; hours: number }
  | { kind: 'deliver' };

type Status = 'SCHEDULED' | 'PAUSED' | 'COMPLETED' | 'NO_SHOW' | 'CANCELLED';
type Rule =
  | { days: number }
  | { offset: string }
  /** A reminder on a day counted from the Session, at a time in the Client's time zone. */
  | ({ book: ModelHomework } & HomeworkReminderTime);
type ModelReminder = {
  recipient: 'CLIENT' | 'CARE_PROVIDER';
  rule: Rule;
  createdAt: Temporal.Instant;
  dueAt: Temporal.Instant;
  /**
   * `held` means withdrawn. `skipped` means that it was planned too late, or that its Session had started when it was
   * due.
   */
  state: 'waits' | 'held' | 'sent' | 'skipped';
  /** When a reminder was held. Undefined if it has moved since, so that nothing is known about its former delivery. */
  heldAt?: Temporal.Instant | undefined;
  /** The Care Provider of the Session when the recipient was deactivated, for reminders that were held for that. */
  leftFrom?: 0 | 1 | undefined;
  /** Whether a revision has removed the rule of a reminder that was sent. */
  isRemoved?: boolean;
};
type ModelHomework = { bookId: number };
export type ModelSession = {
  position: number;
  planWeek: number;
  plannedAt: Temporal.PlainDateTime;
  careProvider: 0 | 1;
  /**
   * Whether a command has chosen this time: `move`, `undo` at the previous time, or `shift` to earlier days. Only such
   * a Session may start at the same time as another one.
   */
  isMovedAlone: boolean;
  status: Status;
  /** When `status` was last changed. */
  statusChangedAt: Temporal.Instant | null;
  /** When anything of the Session was last changed. */
  changedAt: Temporal.Instant;
  isRemovedFromPlan: boolean;
  homework: ModelHomework[];
  reminders: ModelReminder[];
};

export type SeriesRequest = {
  weeks: ModelWeek[];
  fromWeek: number | null;
  first: string;
  intervalDays: number;
  remindDays: number | null;
  reminders: string[];
};

/** Thrown for a command that the service must refuse. Contains the response status. */
export class CommandRejected extends Error {
  constructor(readonly status: 409 | 422) {
    super(String(status));
  }
}

const UNDO_LIMIT = { hours: 30 * 24 };
const compare = (one: Temporal.Instant, other: Temporal.Instant) => Temporal.Instant.compare(one, other);

export class SeriesModel {
  sessions: ModelSession[] = [];
  pausedAt: Temporal.Instant | null = null;
  /** The Care Provider of new Sessions. `assignedTo` is the Client's assigned Care Provider. */
  careProvider: 0 | 1 = 0;
  assignedTo: 0 | 1 = 0;
  readonly deactivated = new Set<0 | 1 | 'client'>();
  /** Whether a participant was deactivated or the series was reassigned. */
  hasChangedParticipants = false;
  /** Positions of the Sessions for which the last command must warn that they are out of order. */
  outOfOrder: number[] = [];
  /** Number of days by which the last command moved the remaining Sessions. */
  skippedDays = 0;
  /** The weeks of each revision of the plan, from revision 1 on. */
  readonly plan: ModelWeek[][];
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
      this.addSession(week, index + 1, first.add({ days: index * request.intervalDays }), 'SCHEDULED'),
    );
  }

  get paused(): boolean {
    return this.pausedAt !== null;
  }

  get intervalDays(): number {
    return this.request.intervalDays;
  }

  startOf(session: Pick<ModelSession, 'plannedAt'>): Temporal.Instant {
    return session.plannedAt.toZonedDateTime(this.zone).toInstant();
  }

  sessionAt(index: number): ModelSession {
    return this.sessions[index % this.sessions.length]!;
  }

  /**
   * Executes a command.
   *
   * @throws CommandRejected if the service must refuse the command; the model is then unchanged
   */
  execute(command: SeriesCommand): void {
    this.outOfOrder = [];
    this.skippedDays = 0;
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
        const session = this.sessionAt(command.session);
        if (!isOpen(session)) throw new CommandRejected(409);
        this.changeSessions(this.inScope(session, command.scope), (each) => this.setStatus(each, 'CANCELLED'));
        break;
      }
      case 'undo':
        this.undo(this.sessionAt(command.session), command.scope, command.at ?? 'before');
        break;
      case 'complete':
      case 'no-show': {
        const session = this.sessionAt(command.session);
        if (session.status !== 'SCHEDULED' || this.isAhead(session)) throw new CommandRejected(409);
        this.changeSessions([session], () =>
          this.setStatus(session, command.kind === 'complete' ? 'COMPLETED' : 'NO_SHOW'),
        );
        break;
      }
      case 'shift':
        this.moveRemainingSessions(command.session, command.days);
        break;
      case 'skip-week':
        this.moveRemainingSessions(command.session, this.request.intervalDays);
        break;
      case 'pause': {
        const rest = this.remainingSessions();
        if (this.paused || rest.length === 0) throw new CommandRejected(409);
        this.pausedAt = this.now;
        this.changeSessions(rest, (each) => this.setStatus(each, 'PAUSED'));
        break;
      }
      case 'resume':
        this.resume();
        break;
      case 'revise':
        this.revise(command.revision);
        break;
      case 'hand-over':
        this.reassign(command.from);
        break;
      case 'leave':
        this.deactivate(command.who);
        break;
      case 'return':
        this.deactivated.delete(command.who);
        break;
    }
  }

  /**
   * Moves the given Session by `days` and to `time`. Other Sessions in the scope move by `days`, and to `time` if they
   * had the same time of day.
   */
  private move({ session: index, scope, days, time }: SeriesCommand & { kind: 'move' }): void {
    const session = this.sessionAt(index);
    const from = session.plannedAt;
    const moves = days !== 0 || (time !== null && time !== clock(from));
    if (moves && !isOpen(session)) throw new CommandRejected(409);
    const target = ({ plannedAt }: ModelSession) => {
      const moved = plannedAt.add({ days });
      return time !== null && clock(plannedAt) === clock(from) ? moved.withPlainTime(time) : moved;
    };
    const all = this.inScope(session, scope);
    const remains = (each: ModelSession) => each.status === 'PAUSED' || this.isAheadAt(target(each));
    if (moves) this.requireActive(all.filter((each) => isOpen(each) && remains(each)));
    this.changeSessions(all, (each) => {
      if (!moves) return;
      if (!this.remainingSessions().includes(each) && remains(each)) {
        each.careProvider = this.careProvider;
        if (this.paused) this.setStatus(each, 'PAUSED');
      }
      each.plannedAt = target(each);
      each.isMovedAlone = true;
    });
  }

  private undo(session: ModelSession, scope: Scope, at: 'before' | 'series'): void {
    const { status, statusChangedAt } = session;
    if (isOpen(session) || statusChangedAt === null || compare(statusChangedAt.add(UNDO_LIMIT), this.now) < 0)
      throw new CommandRejected(409);
    const isSameStep = (each: ModelSession) =>
      each.status === status && each.statusChangedAt?.equals(statusChangedAt) === true;
    const same = this.sessions.filter(
      (each) => each === session || (isSameStep(each) && this.isWithin(each, session, scope)),
    );
    // Whether a newer revision has added the week of a Session again, as another Session.
    const isBack = (each: ModelSession) =>
      this.sessions.some((other) => other !== each && other.planWeek === each.planWeek && other.status !== 'CANCELLED');
    if (same.some(isBack)) throw new CommandRejected(409);
    const places = same.map((each) => (status === 'CANCELLED' ? this.computePlace(each, same) : each.plannedAt));
    if (
      status === 'CANCELLED' &&
      at === 'series' &&
      same.some(
        (each, index) =>
          this.isPlaceClosed(each, places[index]!, same) ||
          places.some((other, at) => at !== index && other.equals(places[index]!)),
      )
    )
      throw new CommandRejected(409);
    const isPutBack = (index: number) =>
      status === 'CANCELLED' && at === 'series' && this.hasNeighbour(same[index]!, same);
    const planned = same.map((each, index) => (isPutBack(index) ? places[index]! : each.plannedAt));
    const becomes = same.map((_, index): Status => {
      if (this.pausedAt === null || status !== 'CANCELLED') return 'SCHEDULED';
      const start = this.startOf({ plannedAt: planned[index]! });
      return isPutBack(index) || compare(start, this.pausedAt) > 0 ? 'PAUSED' : 'SCHEDULED';
    });
    const coming = same.filter((_, index) => becomes[index] === 'PAUSED' || this.isAheadAt(planned[index]!));
    this.requireActive(coming, this.careProvider);
    if (status === 'CANCELLED' && at === 'before')
      this.outOfOrder = same
        .filter((each, index) => !each.plannedAt.equals(places[index]!) || this.isPlaceTaken(each.plannedAt, same))
        .map(({ position }) => position);
    this.changeSessions(same, (each) => {
      const index = same.indexOf(each);
      this.setStatus(each, becomes[index]!);
      if (coming.includes(each)) each.careProvider = this.careProvider;
      if (status === 'CANCELLED') each.isMovedAlone = at === 'before' || each.isMovedAlone;
      each.plannedAt = planned[index]!;
      each.isRemovedFromPlan = false;
    });
  }

  /** Returns the nearest remaining Sessions of an earlier and of a later week. */
  private findNeighbours(session: ModelSession, returning: ModelSession[]): ModelSession[] {
    const ahead = this.remainingSessions().filter((each) => !returning.includes(each));
    const before = ahead.filter(({ planWeek }) => planWeek < session.planWeek);
    const after = ahead.filter(({ planWeek }) => planWeek > session.planWeek);
    const distance = ({ planWeek }: ModelSession) => Math.abs(planWeek - session.planWeek);
    const nearest = (all: ModelSession[]) => all.toSorted((a, b) => distance(a) - distance(b)).slice(0, 1);
    return [...nearest(before), ...nearest(after)];
  }

  private hasNeighbour(session: ModelSession, returning: ModelSession[]): boolean {
    return this.findNeighbours(session, returning).length > 0;
  }

  /**
   * Computes when a Session's week takes place in the current series: as many intervals from the neighbouring Session
   * as there are weeks between the two. The Session stays where it was if no remaining Session has changed since its
   * cancellation.
   */
  private computePlace(session: ModelSession, returning: ModelSession[]): Temporal.PlainDateTime {
    const remaining = this.remainingSessions();
    if (remaining.every(({ changedAt }) => compare(changedAt, session.statusChangedAt!) < 0)) return session.plannedAt;
    const inPlan = this.sessions.filter((each) => !each.isRemovedFromPlan || returning.includes(each));
    const places = this.findNeighbours(session, returning).map(({ plannedAt, planWeek }) => {
      const [low, high] = [planWeek, session.planWeek].toSorted((a, b) => a - b) as [number, number];
      const steps = new Set(inPlan.map((each) => each.planWeek).filter((week) => week > low && week <= high)).size;
      return plannedAt.add({ days: (planWeek < session.planWeek ? steps : -steps) * this.request.intervalDays });
    });
    return places.find((place) => place.equals(session.plannedAt)) ?? places[0] ?? session.plannedAt;
  }

  private isPlaceTaken(place: Temporal.PlainDateTime, returning: ModelSession[]): boolean {
    return this.sessions.some(
      (each) => !returning.includes(each) && each.status !== 'CANCELLED' && each.plannedAt.equals(place),
    );
  }

  private isPlaceClosed(session: ModelSession, place: Temporal.PlainDateTime, returning: ModelSession[]): boolean {
    if (this.isPlaceTaken(place, returning)) return true;
    return !this.paused && !this.isAheadAt(place) && !place.equals(session.plannedAt);
  }

  private moveRemainingSessions(index: number | null, days: number): void {
    const rest = this.remainingSessions();
    if (rest.length === 0) throw new CommandRejected(409);
    const from = index === null ? rest[0]! : this.sessionAt(index);
    const moved = rest.slice(rest.indexOf(from));
    const isLate = (each: ModelSession) => days < 0 && !this.isAheadAt(each.plannedAt.add({ days }));
    if (!rest.includes(from) || moved.some(isLate)) throw new CommandRejected(422);
    this.skippedDays = Math.abs(days);
    this.changeSessions(moved, (each) => {
      each.plannedAt = each.plannedAt.add({ days });
      each.isMovedAlone ||= days < 0;
    });
  }

  /**
   * Resumes the paused Sessions. If the first one is in the past, all move by the smallest number of intervals that
   * brings it into the future.
   */
  private resume(): void {
    if (!this.paused) throw new CommandRejected(409);
    this.pausedAt = null;
    const held = this.sessions.filter(({ status }) => status === 'PAUSED');
    const first = held.toSorted((a, b) => compare(this.startOf(a), this.startOf(b)))[0];
    let days = 0;
    while (first && !this.isAheadAt(first.plannedAt.add({ days }))) days += this.request.intervalDays;
    this.changeSessions(held, (each) => {
      this.setStatus(each, 'SCHEDULED');
      each.plannedAt = each.plannedAt.add({ days });
    });
  }

  /**
   * Applies a revision. Past Sessions do not change. Remaining Sessions keep their weeks and their order. A new week
   * follows the remaining earlier weeks, and is left out if a later week has taken place. The weeks take the times of
   * the remaining Sessions. Further times follow the last Session that is not cancelled, one interval apart.
   */
  private revise(asked: number | null): void {
    const revision = asked ?? this.plan.length;
    if (revision <= this.revision) throw new CommandRejected(409);
    if (revision > this.plan.length) throw new CommandRejected(422);
    const rest = this.remainingSessions();
    const carried = rest.map(({ planWeek }) => planWeek);
    const over = this.sessions
      .filter((each) => !rest.includes(each) && !each.isRemovedFromPlan)
      .map(({ planWeek }) => planWeek);
    const happened = this.sessions.filter((each) => this.hasHappened(each)).map(({ planWeek }) => planWeek);
    const weeks = this.weeks(revision);
    const isNew = ({ ordering }: ModelWeek) => !carried.includes(ordering) && !over.includes(ordering);
    const fresh = weeks.filter((week) => isNew(week) && happened.every((reached) => week.ordering > reached));
    if (fresh.length > 0) this.requireActive([], this.careProvider, true);
    this.revision = revision;
    const turns = carried.filter((ordering) => weeks.some((week) => week.ordering === ordering));
    for (const { ordering } of fresh) {
      const earlier = turns.filter((turn) => turn < ordering);
      turns.splice(earlier.length === 0 ? 0 : turns.lastIndexOf(earlier.at(-1)!) + 1, 0, ordering);
    }
    const places = rest.map(({ plannedAt, isMovedAlone }) => ({ plannedAt, isMovedAlone }));
    while (places.length < turns.length) places.push({ plannedAt: this.nextPlace(places), isMovedAlone: false });
    const gone = rest.filter(({ planWeek }) => !turns.includes(planWeek));
    turns.forEach((ordering, index) => {
      const session = rest.find(({ planWeek }) => planWeek === ordering);
      this.assignWeek(
        session,
        weeks.find((week) => week.ordering === ordering)!,
        places[index]!,
      );
    });
    this.changeSessions(gone, (each) => {
      this.setStatus(each, 'CANCELLED');
      each.isRemovedFromPlan = true;
    });
    if (fresh.length + gone.length === 0) return;
    this.sessions.sort(this.byStart).forEach((each, index) => {
      if (each.position !== index + 1) each.changedAt = this.now;
      each.position = index + 1;
    });
  }

  private assignWeek(
    session: ModelSession | undefined,
    week: ModelWeek,
    { plannedAt, isMovedAlone }: Pick<ModelSession, 'plannedAt' | 'isMovedAlone'>,
  ): void {
    if (session === undefined) {
      this.addSession(week, this.sessions.length + 1, plannedAt, this.paused ? 'PAUSED' : 'SCHEDULED');
      this.sessions.at(-1)!.isMovedAlone = isMovedAlone;
      return;
    }
    Object.assign(session, { plannedAt, isMovedAlone });
    this.assignHomework(session, week);
    this.changeSessions([session]);
  }

  /** @param places the times that are known so far, beginning with those of remaining Sessions */
  private nextPlace(places: Pick<ModelSession, 'plannedAt'>[]): Temporal.PlainDateTime {
    const live = [...places, ...this.sessions.filter(({ status }) => status !== 'CANCELLED')].map(
      (each) => each.plannedAt,
    );
    const later = (a: Temporal.PlainDateTime, b: Temporal.PlainDateTime) => Temporal.PlainDateTime.compare(a, b);
    const last = live.toSorted(later).at(-1);
    const days = this.request.intervalDays;
    let next = last?.add({ days }) ?? this.sessions.map(({ plannedAt }) => plannedAt).toSorted(later)[0]!;
    // In a paused series, the time may be in the past, because `resume` later moves all paused Sessions together.
    while (!(this.paused && places.length > 0) && !this.isAheadAt(next)) next = next.add({ days });
    return next;
  }

  /** Gives the remaining Sessions and the series to the other Care Provider. */
  private reassign(from: 0 | 1): void {
    const to = from === 0 ? 1 : 0;
    if (this.deactivated.has(to)) throw new CommandRejected(422);
    this.hasChangedParticipants = true;
    if (this.assignedTo !== from) return;
    this.assignedTo = to;
    if (this.careProvider === from) this.careProvider = to;
    const theirs = this.remainingSessions().filter(({ careProvider }) => careProvider === from);
    this.changeSessions(theirs, (each) => (each.careProvider = to));
  }

  /** Cancels the remaining Sessions of a deactivated participant, and withdraws their reminders. */
  private deactivate(who: 0 | 1 | 'client'): void {
    this.hasChangedParticipants = true;
    if (this.deactivated.has(who)) return;
    this.deactivated.add(who);
    const theirs = this.remainingSessions().filter(({ careProvider }) => who === 'client' || careProvider === who);
    this.changeSessions(theirs, (each) => this.setStatus(each, 'CANCELLED'));
    for (const session of this.sessions)
      for (const reminder of session.reminders) {
        const isTheirs =
          who === 'client'
            ? reminder.recipient === 'CLIENT'
            : reminder.recipient === 'CARE_PROVIDER' && session.careProvider === who;
        if (!isTheirs || (reminder.state !== 'waits' && reminder.state !== 'skipped')) continue;
        Object.assign(reminder, { state: 'held', heldAt: this.now, leftFrom: session.careProvider });
      }
  }

  /** Rejects the command if a future Session would have a deactivated participant. */
  private requireActive(coming: ModelSession[], careProvider?: 0 | 1, isAny = coming.length > 0): void {
    if (!isAny) return;
    const with_ = careProvider === undefined ? coming.map((each) => this.careProviderOf(each)) : [careProvider];
    if (this.deactivated.has('client') || with_.some((one) => this.deactivated.has(one)))
      throw new CommandRejected(409);
  }

  /**
   * Returns the Care Provider of a future Session: its own one if it is a remaining Session, otherwise that of the
   * series.
   */
  private careProviderOf(session: ModelSession): 0 | 1 {
    return this.remainingSessions().includes(session) ? session.careProvider : this.careProvider;
  }

  private weeks(revision = this.revision): ModelWeek[] {
    const weeks = this.plan[revision - 1]!.filter(({ ordering }) => ordering >= (this.request.fromWeek ?? 0));
    return weeks.toSorted((a, b) => a.ordering - b.ordering);
  }

  private addSession(week: ModelWeek, position: number, plannedAt: Temporal.PlainDateTime, status: Status): void {
    const place = {
      position,
      planWeek: week.ordering,
      plannedAt,
      status,
      statusChangedAt: null,
      changedAt: this.now,
      isRemovedFromPlan: false,
    };
    const { careProvider } = this;
    const session: ModelSession = { ...place, careProvider, isMovedAlone: false, homework: [], reminders: [] };
    const { remindDays, reminders } = this.request;
    const rules: Rule[] = reminders.map((offset) => ({ offset }));
    if (remindDays !== null) rules.push({ days: remindDays });
    for (const rule of rules)
      for (const recipient of ['CLIENT', 'CARE_PROVIDER'] as const) this.remind(session, recipient, rule);
    this.assignHomework(session, week);
    this.sessions.push(session);
    if (status === 'PAUSED') {
      session.statusChangedAt = this.now;
      this.changeSessions([session]);
    }
  }

  /** Sets the Books and reminders of a week. Existing ones that the week still contains are kept. */
  private assignHomework(session: ModelSession, { assignments }: ModelWeek): void {
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
    for (const reminder of session.reminders) reminder.isRemoved = !isWanted(reminder.rule);
    for (const book of session.homework)
      for (const at of wants.get(book.bookId)!)
        if (!session.reminders.some(({ rule }) => 'book' in rule && rule.book === book && same(at, rule)))
          this.remind(session, 'CLIENT', { book, ...at });
  }

  private remind(session: ModelSession, recipient: ModelReminder['recipient'], rule: Rule): void {
    const reminder: ModelReminder = { recipient, rule, createdAt: this.now, dueAt: this.now, state: 'waits' };
    reminder.dueAt = this.computeDueTime(session, reminder);
    if (this.isPast(session, reminder)) reminder.state = 'skipped';
    session.reminders.push(reminder);
  }

  /**
   * Whether a reminder was due before the start of its Session, which has since started. Such a reminder is not sent.
   */
  private isTooLateFor(session: ModelSession, { rule, dueAt }: ModelReminder): boolean {
    return !('book' in rule) && compare(dueAt, this.startOf(session)) < 0 && !this.isAhead(session);
  }

  /** Whether a homework reminder is due after the day of the next Session. Such a reminder is not sent. */
  private isAfterDueDay(session: ModelSession, { rule, dueAt }: ModelReminder): boolean {
    const dayOf = (instant: Temporal.Instant) => instant.toZonedDateTimeISO(this.zone).toPlainDate();
    const later = this.sessions.filter(({ status }) => status !== 'CANCELLED').map((each) => this.startOf(each));
    const next = later.filter((start) => compare(start, this.startOf(session)) > 0).toSorted(compare)[0];
    return 'book' in rule && next !== undefined && Temporal.PlainDate.compare(dayOf(dueAt), dayOf(next)) > 0;
  }

  /** Whether a reminder is too late to be planned. */
  private isPast(session: ModelSession, reminder: ModelReminder): boolean {
    return compare(reminder.dueAt.add({ minutes: 15 }), this.now) < 0 || this.isTooLateFor(session, reminder);
  }

  private computeDueTime(session: ModelSession, { rule, createdAt }: ModelReminder): Temporal.Instant {
    if ('days' in rule) return createdAt.toZonedDateTimeISO(this.zone).add({ days: rule.days }).toInstant();
    if ('offset' in rule) return this.startOf(session).toZonedDateTimeISO(this.zone).add(rule.offset).toInstant();
    const day = session.plannedAt.toPlainDate().add({ days: rule.reminderDay - 1 });
    return day.toZonedDateTime({ timeZone: this.clientZone, plainTime: rule.time }).toInstant();
  }

  /** Adapts an unsent reminder to its Session. */
  private replan(session: ModelSession, reminder: ModelReminder): void {
    const due = this.computeDueTime(session, reminder);
    const hasMoved = !due.equals(reminder.dueAt);
    reminder.dueAt = due;
    const wasHeld = reminder.state === 'held';
    const isForOther = reminder.recipient === 'CARE_PROVIDER' && reminder.leftFrom !== session.careProvider;
    if (hasMoved || isForOther) reminder.leftFrom = undefined;
    if (hasMoved && wasHeld) reminder.heldAt = undefined;
    const isDue = compare(due, this.now) <= 0;
    const isMissed = wasHeld && isDue && (!this.wasLateWhenHeld(reminder) || this.isTooLateFor(session, reminder));
    const isOut = isMissed || reminder.leftFrom !== undefined;
    if (isOut || !this.isReminderWanted(session, reminder) || wasSentFor(session, reminder, due)) {
      if (wasHeld || (reminder.state === 'skipped' && !hasMoved)) return;
      Object.assign(reminder, { state: 'held', heldAt: this.now });
    } else if (wasHeld && isDue) reminder.state = 'waits';
    else if (wasHeld || hasMoved) reminder.state = this.isPast(session, reminder) ? 'skipped' : 'waits';
  }

  /** Whether a held reminder was already due when it was held, so that it is as late as before when it is restored. */
  private wasLateWhenHeld({ heldAt, dueAt }: ModelReminder): boolean {
    return heldAt !== undefined && compare(dueAt, heldAt) <= 0;
  }

  /**
   * Changes Sessions and replans their reminders. Unsent reminders move with their Session; sent ones are planned again
   * if the new due time is in the future.
   */
  private changeSessions(sessions: ModelSession[], change: (session: ModelSession) => void = () => undefined): void {
    for (const session of sessions) {
      change(session);
      session.changedAt = this.now;
      for (const reminder of session.reminders.filter(({ state }) => state !== 'sent')) this.replan(session, reminder);
      const settled = session.reminders.filter(({ state, isRemoved }) => state === 'sent' && isRemoved !== true);
      for (const { recipient, rule, ...sent } of settled) {
        const waits = session.reminders.some(
          (each) => each.state !== 'sent' && each.recipient === recipient && each.rule === rule,
        );
        const again: ModelReminder = { recipient, rule, createdAt: sent.createdAt, dueAt: sent.dueAt, state: 'waits' };
        again.dueAt = this.computeDueTime(session, again);
        const isNew = !wasSentFor(session, again, again.dueAt) && compare(again.dueAt, this.now) > 0;
        if (!waits && isNew && this.isReminderWanted(session, again))
          session.reminders.push({ ...again, createdAt: this.now });
      }
    }
  }

  /**
   * Whether a reminder is still wanted. After a Session has ended, only homework reminders and reminders after its
   * start are sent.
   */
  private isReminderWanted(session: ModelSession, { rule, dueAt }: ModelReminder): boolean {
    if (session.status === 'SCHEDULED') return true;
    if (session.status === 'PAUSED' || session.status === 'CANCELLED') return false;
    return 'book' in rule || compare(dueAt, this.startOf(session)) > 0;
  }

  private setStatus(session: ModelSession, status: Status): void {
    session.status = status;
    session.statusChangedAt = this.now;
  }

  private isAhead(session: ModelSession): boolean {
    return this.isAheadAt(session.plannedAt);
  }

  private isAheadAt(plannedAt: Temporal.PlainDateTime): boolean {
    return compare(this.startOf({ plannedAt }), this.now) > 0;
  }

  /** Compares Sessions by start, in which order a series lists them. */
  private readonly byStart = (one: ModelSession, other: ModelSession): number =>
    compare(this.startOf(one), this.startOf(other)) || one.position - other.position;

  /** Returns the paused Sessions and the scheduled future Sessions, sorted by start. */
  private remainingSessions(): ModelSession[] {
    const remains = (each: ModelSession) =>
      each.status === 'PAUSED' || (each.status === 'SCHEDULED' && this.isAhead(each));
    return this.sessions.filter(remains).sort(this.byStart);
  }

  private hasHappened(session: ModelSession): boolean {
    return session.status !== 'PAUSED' && session.status !== 'CANCELLED' && !this.isAhead(session);
  }

  private inScope(session: ModelSession, scope: Scope): ModelSession[] {
    const rest = this.remainingSessions();
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
/** Whether a reminder was already sent for a due time, for which it is not sent again. */
const wasSentFor = ({ reminders }: ModelSession, { recipient, rule }: ModelReminder, due: Temporal.Instant) =>
  reminders.some((each) => isSameFor(each, recipient, rule) && each.state === 'sent' && each.dueAt.equals(due));
const isSameFor = (each: ModelReminder, recipient: string, rule: Rule) =>
  each.recipient === recipient && each.rule === rule;
const same = (one: HomeworkReminderTime, other: HomeworkReminderTime) =>
  one.reminderDay === other.reminderDay && one.time === other.time;
