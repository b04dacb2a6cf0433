import { MikroORM } from '@mikro-orm/core';
import { ormOptions } from '../../../mikro-orm.config.js';
import { recordCommand, createAuditStatementRunner } from '../../audit/index.js';
import { TimeZoneReader } from '../../directory/index.js';
import { TimeSettingsReader, DueTimeRecomputation } from '../../reminder/index.js';
import { SessionTimeRecomputation, type SessionTimeChange } from '../../session/index.js';
import { readEnvironmentWithoutKeys } from '../../shared/config/command-environment.js';
import {
  lockDataDirectory,
  formatInstant,
  requireCurrentSchema,
  TenantEntityManager,
} from '../../shared/persistence/index.js';
import { CorrectedClock, ZoneData } from '../../shared/time/index.js';
import { ZoneDataRecomputation, ZoneDataAdoption, type ChangedTimeCounts } from '../../zone-data/index.js';
import { parseCommandLine, printLine, UsageError } from '../command-line.js';
import { runCommand } from '../run-command.js';

const HELP = `npm run tzdata [-- --dry-run | --apply [--older]]: prints the versions of the time zone data of Node and of the
database. A service that starts with newer data applies it to the database by itself.

  --dry-run   lists the future Sessions that would move, with the number of their reminders; changes nothing
  --apply     moves them now, as the service does
  --older     also applies older data, to return to an earlier Node. Stop the instances with the newer data first,
              because each of them applies its data again

To use newer data without a newer Node, put ICU's zoneinfo64.res, metaZones.res, timezoneTypes.res and windowsZones.res of a
release into a directory (github.com/unicode-org/icu-data, tzdata/icunew/<release>/44/le; or compiled with genrb), and set
ICU_TIMEZONE_FILES_DIR to it for this command and for every instance before they start.`;

const zoneData = new ZoneData();

await runCommand(async () => {
  const { values } = parseCommandLine(HELP, {
    'dry-run': { type: 'boolean', default: false },
    apply: { type: 'boolean', default: false },
    older: { type: 'boolean', default: false },
  });
  if (values['dry-run'] && values.apply) throw new UsageError('--dry-run and --apply exclude each other. See --help.');
  if (values.older && !values.apply) throw new UsageError('--older needs --apply. See --help.');
  const { database } = readEnvironmentWithoutKeys();
  if (database.kind === 'embedded') lockDataDirectory(database.dataDir);
  const orm = await MikroORM.init(await ormOptions(database));
  try {
    await requireCurrentSchema(orm);
    const inUse = await printState(orm);
    if (values['dry-run']) await preview(orm);
    if (values.apply) await apply(orm, values.older, inUse);
  } finally {
    await orm.close();
  }
});

/**
 * Prints the zone data versions of this process and the database.
 *
 * @returns the version in the database
 */
async function printState({ em }: MikroORM): Promise<string | undefined> {
  const [last] = await em.fork().find(ZoneDataAdoption, {}, { orderBy: { id: 'desc' }, limit: 1 });
  printLine(`this process: ${zoneData.version}`);
  if (last === undefined) printLine('the database: none stored yet');
  else {
    const state = last.finishedAt === null ? 'under way' : `done ${formatInstant(last.finishedAt)}`;
    printLine(
      `the database: ${last.version}, ${state}: ${last.sessions} Session(s) and ${last.reminders} reminder(s) moved`,
    );
  }
  return last?.version;
}

async function preview(orm: MikroORM): Promise<void> {
  const zones = await createRecomputation(orm).preview((moved) => printLine(describeMovedTime(moved)));
  for (const zone of zones) printLine(describeZone(zone));
  const [sessions, reminders] = [sumBy(zones, 'sessions'), sumBy(zones, 'reminders')];
  printLine(`dry run: ${sessions} Session(s) and ${reminders} reminder(s) would move, nothing was changed`);
}

async function apply(orm: MikroORM, allowOlder: boolean, inUse = ''): Promise<void> {
  if (zoneData.version < inUse && !allowOlder)
    throw new UsageError(`The data of Node is older than the data in use (${inUse}): add --older to apply it.`);
  await recordCommand({ name: 'tzdata', access: 'WRITE' }, createAuditStatementRunner(orm.em));
  const recomputation = createRecomputation(orm);
  await recomputation.adopt(allowOlder);
  await recomputation.recompute(() => undefined);
  await printState(orm);
}

function createRecomputation({ em }: MikroORM): ZoneDataRecomputation {
  const tenants = em as unknown as TenantEntityManager;
  const settings = new TimeSettingsReader(tenants, new TimeZoneReader(tenants));
  const times = new SessionTimeRecomputation(em, new DueTimeRecomputation(tenants, settings));
  return new ZoneDataRecomputation(em, times, zoneData, new CorrectedClock());
}

/**
 * Formats a change as
 * `session 12 America/Winnipeg 2026-12-01T16:00:00.000Z -> 2026-12-01T15:00:00.000Z, 4 reminder(s)`.
 */
function describeMovedTime({ session, from, to, reminderCount }: SessionTimeChange): string {
  const times = from.equals(to) ? 'stays' : `${formatInstant(from)} -> ${formatInstant(to)}`;
  return `session ${session.id} ${session.timeZone} ${times}, ${reminderCount} reminder(s)`;
}

function describeZone({ timeZone, sessions, reminders }: ChangedTimeCounts): string {
  return `${timeZone}: ${sessions} Session(s), ${reminders} reminder(s)`;
}

function sumBy(zones: readonly ChangedTimeCounts[], what: 'sessions' | 'reminders'): number {
  return zones.reduce((sum, zone) => sum + zone[what], 0);
}
