import { parseArgs } from 'node:util';
import { isReminderOffset } from '../../reminder/index.js';
import { isTimeZone, parseClockTime } from '../../shared/time/index.js';

/** What is to be simulated. */
export type SimulationOptions = {
  /** A Design Plan as JSON; undefined: the demonstration plan. */
  file?: string;
  from: Temporal.PlainDate;
  time: string;
  clientId: number;
  /** Where the Client lives; undefined: where the Clinic is. */
  zone?: string;
  /** So many weeks of the plan; undefined: all. */
  weeks?: number;
  /** How long before each Session both are reminded of it, ISO 8601. */
  remind: readonly string[];
  quietHours: { from: string; to: string } | null;
  /** Share of the homework that the Client does, from 0 to 1. */
  homeworkDone: number;
  /** The week whose Session is cancelled the day before; undefined: none. */
  cancelledWeek?: number;
  html?: string;
  json?: string;
};

/** Something in the call that is not as it should be: told in one line. */
export class UsageError extends Error {}

export const HELP = `Plays a Design Plan for a Client of the demonstration directory: the service itself, on a database in
memory, with a clock that runs through the weeks in seconds. Nothing leaves the process.

  npm run simulate -- [FILE] [options]

FILE is a Design Plan as exported, or the body of its creation; without one, a plan of twelve weeks.
Books that the demonstration directory does not have are added.

  --from 2027-03-01           day of the first Session
  --time 09:30                its time, on the wall clock of the Clinic
  --client 1                  the Client, 1 to 4
  --zone Australia/Sydney     where the Client lives; else where the Clinic is
  --weeks 8                   only so many weeks of the plan
  --remind P1D,PT2H           how long before a Session both are reminded of it, or none
  --quiet-hours 21:00-08:00   when the Client is not reminded, or none
  --homework-done 60%         how much of the homework the Client does
  --cancel 8                  cancel the Session of that week, the day before
  --html FILE                 write one self-contained page with a picture of the weeks
  --json FILE                 write all that has happened as JSON
  --help                      print this
`;

const OPTIONS = {
  from: { type: 'string', default: '2027-03-01' },
  time: { type: 'string', default: '09:30' },
  client: { type: 'string', default: '1' },
  zone: { type: 'string' },
  weeks: { type: 'string' },
  remind: { type: 'string', default: 'P1D,PT2H' },
  'quiet-hours': { type: 'string', default: '21:00-08:00' },
  'homework-done': { type: 'string', default: '60%' },
  cancel: { type: 'string' },
  html: { type: 'string' },
  json: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/**
 * The command line as options; undefined: help is asked for.
 *
 * @throws UsageError
 */
export function readOptions(args: readonly string[]): SimulationOptions | undefined {
  const { values, positionals } = parse(args);
  if (values.help) return undefined;
  if (positionals.length > 1) throw new UsageError('One FILE at most.');
  return {
    ...(positionals[0] === undefined ? {} : { file: positionals[0] }),
    from: asDate(values.from),
    time: checked('time', values.time, (time) => parseClockTime(time) !== undefined, 'a time such as 09:30'),
    clientId: asCount('client', values.client),
    zone: values.zone && checked('zone', values.zone, isTimeZone, 'a time zone such as Europe/London'),
    weeks: values.weeks === undefined ? undefined : asCount('weeks', values.weeks),
    remind: asDurations(values.remind),
    quietHours: asQuietHours(values['quiet-hours']),
    homeworkDone: asShare(values['homework-done']),
    cancelledWeek: values.cancel === undefined ? undefined : asCount('cancel', values.cancel),
    html: values.html,
    json: values.json,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    // Its first sentence says which option and what is wrong; the others guess.
    throw new UsageError(`${(error as Error).message.split(/[.\n]/, 1)[0]!}. See --help.`);
  }
}

function checked(option: string, value: string, isFine: (value: string) => boolean, expected: string): string {
  if (!isFine(value)) throw new UsageError(`--${option} must be ${expected}, not "${value}".`);
  return value;
}

function asDate(text: string): Temporal.PlainDate {
  try {
    return Temporal.PlainDate.from(/^\d{4}-\d{2}-\d{2}$/.test(text) ? text : '');
  } catch {
    throw new UsageError(`--from must be a real date such as 2027-03-01, not "${text}".`);
  }
}

function asCount(option: string, text: string): number {
  return Number(checked(option, text, (value) => /^[1-9]\d{0,5}$/.test(value), 'a positive whole number'));
}

function asDurations(text: string): string[] {
  if (text === 'none') return [];
  const durations = text.split(',');
  const areFine = () => durations.every((duration) => duration.startsWith('P') && isReminderOffset(`-${duration}`));
  checked('remind', text, areFine, 'durations such as P1D,PT2H, or none');
  return durations;
}

function asQuietHours(text: string): SimulationOptions['quietHours'] {
  if (text === 'none') return null;
  const [from = '', to = '', ...rest] = text.split('-');
  const areFine = () => rest.length === 0 && from !== to && [from, to].every((time) => parseClockTime(time));
  checked('quiet-hours', text, areFine, 'two times such as 21:00-08:00, or none');
  return { from, to };
}

function asShare(text: string): number {
  const isFine = (value: string) => /^\d{1,3}%?$/.test(value) && Number.parseInt(value) <= 100;
  return Number.parseInt(checked('homework-done', text, isFine, 'a share from 0% to 100%')) / 100;
}
