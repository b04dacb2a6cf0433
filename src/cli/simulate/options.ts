import { isReminderOffset } from '../../reminder/index.js';
import { isTimeZone, parseClockTime } from '../../shared/time/index.js';
import { parseArguments, UsageError } from '../command-line.js';

/** The parameters of a simulation. */
export type SimulationOptions = {
  /** The path of a Design Plan in JSON format. If undefined, the demonstration plan is simulated. */
  file?: string;
  from: Temporal.PlainDate;
  time: string;
  clientId: number;
  /** The Client's time zone. If undefined, the Clinic's time zone applies. */
  zone?: string;
  /** The number of weeks to simulate. If undefined, all weeks are simulated. */
  weeks?: number;
  /** How long before each Session the Client and the Care Provider are reminded, as ISO 8601 durations. */
  remind: readonly string[];
  quietHours: { from: string; to: string } | null;
  /** The share of the homework that the Client completes, from 0 to 1. */
  homeworkDone: number;
  /** The number of the week whose Session is cancelled on the day before. If undefined, no Session is cancelled. */
  cancelledWeek?: number;
  html?: string;
  json?: string;
};

export const SIMULATION_HELP = `Simulates a Design Plan for a Client of the demonstration directory. Runs the service on a database in
memory, with a clock that passes the weeks in seconds. No message is sent.

  npm run simulate -- [FILE] [options]

FILE is an exported Design Plan, or the body of a request that creates one. Without FILE, a plan of twelve
weeks is used. Books that are not in the demonstration directory are added.

  --from 2027-03-01           day of the first Session
  --time 09:30                its local time at the Clinic
  --client 1                  the Client, 1 to 4
  --zone Australia/Sydney     time zone of the Client; default: that of the Clinic
  --weeks 8                   number of weeks; default: all weeks of the plan
  --remind P1D,PT2H           when both are reminded before a Session, or none
  --quiet-hours 21:00-08:00   quiet hours of the Client, or none
  --homework-done 60%         share of the homework that the Client completes
  --cancel 8                  cancel the Session of this week on the day before
  --html FILE                 write a self-contained page with a chart of the weeks
  --json FILE                 write the result as JSON
  --help                      print this help
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
 * Parses the command line. Returns undefined for `--help`.
 *
 * @throws UsageError
 */
export function parseSimulationOptions(args: readonly string[]): SimulationOptions | undefined {
  const { values, positionals } = parseArguments(args, OPTIONS);
  if (values.help) return undefined;
  if (positionals.length > 1) throw new UsageError('Pass one FILE only.');
  return {
    ...(positionals[0] === undefined ? {} : { file: positionals[0] }),
    from: parseDate(values.from),
    time: requireValid('time', values.time, (time) => parseClockTime(time) !== undefined, 'a time such as 09:30'),
    clientId: parseCount('client', values.client),
    zone: values.zone === undefined ? undefined : parseZone(values.zone),
    weeks: values.weeks === undefined ? undefined : parseCount('weeks', values.weeks),
    remind: parseDurations(values.remind),
    quietHours: parseQuietHours(values['quiet-hours']),
    homeworkDone: parseShare(values['homework-done']),
    cancelledWeek: values.cancel === undefined ? undefined : parseCount('cancel', values.cancel),
    html: values.html,
    json: values.json,
  };
}

function requireValid(option: string, value: string, isValid: (value: string) => boolean, expected: string): string {
  if (!isValid(value)) throw new UsageError(`--${option} must be ${expected}, not "${value}".`);
  return value;
}

function parseDate(text: string): Temporal.PlainDate {
  try {
    return Temporal.PlainDate.from(FROM_PATTERN.test(text) ? text : '');
  } catch {
    throw new UsageError(`--from must be a real date before 9000, such as 2027-03-01, not "${text}".`);
  }
}

/** Near the end of the year 9999, after which no instant can be stored, messages fail, and the simulation would not end. */
const FROM_PATTERN = /^[0-8]\d{3}-\d{2}-\d{2}$/;

function parseCount(option: string, text: string): number {
  return Number(requireValid(option, text, (value) => /^[1-9]\d{0,5}$/.test(value), 'a positive whole number'));
}

function parseZone(text: string): string {
  return requireValid('zone', text, isTimeZone, 'a time zone such as Europe/London');
}

function parseDurations(text: string): string[] {
  if (text === 'none') return [];
  const durations = text.split(',');
  const areValid = () => durations.every((duration) => duration.startsWith('P') && isReminderOffset(`-${duration}`));
  requireValid('remind', text, areValid, 'durations such as P1D,PT2H, or none');
  return durations;
}

function parseQuietHours(text: string): SimulationOptions['quietHours'] {
  if (text === 'none') return null;
  const [from = '', to = '', ...rest] = text.split('-');
  const areValid = () => rest.length === 0 && from !== to && [from, to].every((time) => parseClockTime(time));
  requireValid('quiet-hours', text, areValid, 'two times such as 21:00-08:00, or none');
  return { from, to };
}

function parseShare(text: string): number {
  const isValid = (value: string) => /^\d{1,3}%?$/.test(value) && Number.parseInt(value) <= 100;
  return Number.parseInt(requireValid('homework-done', text, isValid, 'a share from 0% to 100%')) / 100;
}
