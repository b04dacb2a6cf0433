/* The input of the simulator. It contains only times and numbers, so that links contain no personal data. */

/** A homework reminder in a week. `day`: 1 to 7, where 1 is the day of the Session. `time`: HH:mm. */
export type HomeworkReminderTime = { day: number; time: string };

export type SimulatorInput = {
  /** The homework reminders of each week. */
  weeks: readonly (readonly HomeworkReminderTime[])[];
  /** Date and time of the first Session in the time zone of the Clinic, as `yyyy-MM-dd` and `HH:mm`. */
  date: string;
  time: string;
  clinicZone: string;
  clientZone: string;
  quietHours: { from: string; to: string } | null;
  /** The number of days by which each week's Session is moved. */
  moves: readonly number[];
};

export const MAX_SIMULATED_WEEKS = 16;
/** The Session of a week can be moved by at most this many days, earlier or later. */
export const MAX_MOVE_DAYS = 6;
export const MAX_REMINDERS_PER_WEEK = 6;

const EVENING = { day: 2, time: '18:00' };
const SECOND = { day: 5, time: '18:30' };
/** Example plans, similar to those of the demonstration. */
export const EXAMPLE_PLANS = {
  sleep: [
    [EVENING, SECOND],
    [EVENING],
    [EVENING, SECOND],
    [EVENING],
    [EVENING, SECOND],
    [EVENING],
    [EVENING],
    [SECOND],
  ],
  activity: [[EVENING, SECOND], [EVENING], [{ day: 3, time: '07:00' }]],
} as const satisfies Record<string, SimulatorInput['weeks']>;

/** Starts three weeks before the clocks change in Europe, so that the effect of the change is visible. */
export const INITIAL_SIMULATOR_INPUT: SimulatorInput = {
  weeks: EXAMPLE_PLANS.sleep,
  date: '2027-03-08',
  time: '09:30',
  clinicZone: 'Europe/London',
  clientZone: 'Europe/London',
  quietHours: { from: '21:00', to: '08:00' },
  moves: [],
};

const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;
const ZONE = /^[A-Za-z][A-Za-z0-9_+\-/]{1,63}$/;

/** Serialises the plan as the query of a route. */
export function toSimulatorQuery(plan: SimulatorInput): string {
  const query = new URLSearchParams({
    weeks: plan.weeks.map((week) => week.map(({ day, time }) => `${day}-${time}`).join('_')).join('.'),
    at: `${plan.date}T${plan.time}`,
    clinic: plan.clinicZone,
    client: plan.clientZone,
    quiet: plan.quietHours === null ? 'none' : `${plan.quietHours.from}-${plan.quietHours.to}`,
    moves: plan.moves.join('.'),
  });
  return query.toString();
}

/** Parses the query of a link. Absent or invalid values are replaced by those of `INITIAL_SIMULATOR_INPUT`. */
export function readSimulatorQuery(query: URLSearchParams): SimulatorInput {
  const [date = '', time = ''] = (query.get('at') ?? '').split('T');
  const [from = '', to = ''] = (query.get('quiet') ?? '').split('-');
  const isQuiet = TIME.test(from) && TIME.test(to) && from !== to;
  return {
    weeks: readWeeks(query.get('weeks')) ?? INITIAL_SIMULATOR_INPUT.weeks,
    date: isSupportedDate(date) ? date : INITIAL_SIMULATOR_INPUT.date,
    time: TIME.test(time) ? time : INITIAL_SIMULATOR_INPUT.time,
    clinicZone: readZone(query.get('clinic')) ?? INITIAL_SIMULATOR_INPUT.clinicZone,
    clientZone: readZone(query.get('client')) ?? INITIAL_SIMULATOR_INPUT.clientZone,
    quietHours: query.get('quiet') === 'none' ? null : isQuiet ? { from, to } : INITIAL_SIMULATOR_INPUT.quietHours,
    moves: (query.get('moves') ?? '').split('.').slice(0, MAX_SIMULATED_WEEKS).map(readMove),
  };
}

/** Whether a text is an existing date from 2000 to 2099. */
export function isSupportedDate(text: string): boolean {
  const [, year, month, day] = /^(20\d\d)-(\d\d)-(\d\d)$/.exec(text)?.map(Number) ?? [];
  if (year === undefined || month === undefined || day === undefined || month < 1 || month > 12) return false;
  const isLeap = year % 4 === 0;
  const days = month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
  return day >= 1 && day <= days;
}

export function isTimeZone(text: string): boolean {
  return readZone(text) !== undefined;
}

export function isTimeOfDay(text: string): boolean {
  return TIME.test(text);
}

/** Adds a reminder to a week, unless the week already contains it or is full. */
export function addReminder(plan: SimulatorInput, week: number, added: HomeworkReminderTime): SimulatorInput {
  if (isWeekFull(plan, week)) return plan;
  const replaced = plan.weeks.map((reminders, index) =>
    index === week ? normaliseWeekReminders([...reminders, added]) : reminders,
  );
  return { ...plan, weeks: replaced };
}

/** Whether a week has as many reminders as it can show. */
export function isWeekFull({ weeks }: SimulatorInput, week: number): boolean {
  return weeks[week]!.length >= MAX_REMINDERS_PER_WEEK;
}

export function removeReminder(plan: SimulatorInput, week: number, place: number): SimulatorInput {
  return {
    ...plan,
    weeks: plan.weeks.map((one, index) => (index === week ? one.filter((_, at) => at !== place) : one)),
  };
}

/** Changes the number of weeks. New weeks are copies of the last one. */
export function setWeekCount(plan: SimulatorInput, count: number): SimulatorInput {
  const last = plan.weeks.at(-1) ?? [EVENING];
  return { ...plan, weeks: Array.from({ length: count }, (_, index) => plan.weeks[index] ?? last) };
}

/** Moves the Session of one week by a number of days. */
export function moveSessionOfWeek(plan: SimulatorInput, week: number, days: number): SimulatorInput {
  const moves = plan.weeks.map((_, index) => (plan.moves[index] ?? 0) + (index === week ? days : 0));
  return { ...plan, moves: moves.map((move) => Math.max(-MAX_MOVE_DAYS, Math.min(MAX_MOVE_DAYS, move))) };
}

/** Sorts reminders, removes duplicates, and keeps at most as many as a week can show. */
export function normaliseWeekReminders(reminders: readonly HomeworkReminderTime[]): HomeworkReminderTime[] {
  const byKey = new Map(reminders.map((reminder) => [`${reminder.day} ${reminder.time}`, reminder]));
  return [...byKey]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, reminder]) => reminder)
    .slice(0, MAX_REMINDERS_PER_WEEK);
}

function readWeeks(text: string | null): SimulatorInput['weeks'] | undefined {
  if (text === null || text.length > 2_000) return undefined;
  return text
    .split('.')
    .slice(0, MAX_SIMULATED_WEEKS)
    .map((week) => normaliseWeekReminders(week.split('_').flatMap(readReminder)));
}

function readReminder(text: string): HomeworkReminderTime[] {
  const [day = '', time = ''] = text.split('-');
  return /^[1-7]$/.test(day) && TIME.test(time) ? [{ day: Number(day), time }] : [];
}

function readMove(text: string): number {
  return /^-?[0-6]$/.test(text) ? Number(text) || 0 : 0;
}

function readZone(text: string | null): string | undefined {
  if (text === null || !ZONE.test(text)) return undefined;
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    return text;
  } catch {
    return undefined;
  }
}
