import { MikroORM } from '@mikro-orm/core';
import { readFileSync } from 'node:fs';
import { ormOptions } from '../../../mikro-orm.config.js';
import {
  AuditVerifier,
  parseChainHeads,
  formatChainHead,
  type AuditFinding,
  type ChainHead,
} from '../../audit/index.js';
import { withOwnerConnection } from '../../ops/index.js';
import { readEnvironmentWithoutKeys } from '../../shared/config/command-environment.js';
import type { DatabaseEnvironment } from '../../shared/config/env.js';
import { lockDataDirectory, findUnreadableTables } from '../../shared/persistence/index.js';
import { parseCommandLine, printDatabase, printLine, UsageError } from '../command-line.js';
import { runCommand } from '../run-command.js';

const HELP = `npm run audit-verify [-- --expect FILE] [--overdue 5] [--deep]: verifies that the audit trail was not changed.
Prints one line for each finding, how far each chain is retired, the head of each chain, and a summary. Exit code 1 if there are findings.

  --expect FILE   the chains must continue the heads in FILE, the output of an earlier run
  --overdue 5     minutes after which an entry must be sealed
  --deep          also reads all rows of all tables, to find damaged pages before a request reads them. Needs the owner of the
                  tables (MIGRATION_DATABASE_URL)`;

const PROGRESS_INTERVAL_MS = 5_000;

/** The last line of the output. */
const SUMMARY = /^(OK|NOT OK): \d+ entries in /m;

await runCommand(async () => {
  const { values } = parseCommandLine(HELP, {
    expect: { type: 'string' },
    overdue: { type: 'string', default: '5' },
    deep: { type: 'boolean', default: false },
  });
  if (!/^\d{1,6}$/.test(values.overdue)) throw new UsageError('--overdue must be a number of minutes');
  const expectedHeads = values.expect === undefined ? [] : readHeads(values.expect);
  const { database } = readEnvironmentWithoutKeys();
  printDatabase(database);
  if (database.kind === 'embedded') lockDataDirectory(database.dataDir);
  const orm = await MikroORM.init(await ormOptions(database));
  try {
    const verifier = new AuditVerifier(
      orm.em,
      (finding) => printLine(describeFinding(finding)),
      createProgressPrinter(),
    );
    const overdue = Temporal.Now.instant().subtract({ minutes: Number(values.overdue) });
    const { entries, seals, findings, heads, retired } = await verifier.verify(overdue, expectedHeads);
    for (const start of retired) printLine(`retired ${start.chain} ${start.number} ${start.entries}`);
    for (const head of heads) printLine(formatChainHead(head));
    printLine(`${findings === 0 ? 'OK' : 'NOT OK'}: ${entries} entries in ${seals} seals, ${findings} finding(s)`);
    process.exitCode = findings === 0 ? 0 : 1;
  } finally {
    await orm.close();
  }
  if (values.deep && (await readEveryRow(database)) > 0) process.exitCode = 1;
});

/**
 * @throws UsageError if the file cannot be read, or is not the whole output of an earlier run, which would make the
 * verification pass
 */
function readHeads(file: string): ChainHead[] {
  const text = readText(file);
  if (!SUMMARY.test(text)) throw new UsageError(`--expect: ${file} has no summary line, so its heads are not complete`);
  return parseChainHeads(text);
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`--expect: ${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
  }
}

/**
 * Reads all rows as the table owner (MIGRATION_DATABASE_URL).
 *
 * @returns the number of unreadable tables
 */
async function readEveryRow(database: DatabaseEnvironment): Promise<number> {
  return withOwnerConnection(database, async (orm) => {
    const unreadable = await findUnreadableTables(orm);
    for (const table of unreadable) printLine(`UNREADABLE ${table}`);
    printLine(
      `${unreadable.length === 0 ? 'OK' : 'NOT OK'}: all rows were read, ${unreadable.length} table(s) are damaged`,
    );
    return unreadable.length;
  });
}

/** Formats a finding as `CHANGED clinic 5 entry 123 seal 7`. */
function describeFinding({ kind, chain, entryId, seal }: AuditFinding): string {
  const places = Object.entries({ clinic: chain, entry: entryId, seal }).filter(([, id]) => id !== undefined);
  return [kind, ...places.flat()].join(' ');
}

/** Prints progress to standard error, because standard output, with the chain heads, may be saved to a file. */
function createProgressPrinter(): (entries: number) => void {
  let last = performance.now();
  return (entries) => {
    if (performance.now() - last < PROGRESS_INTERVAL_MS) return;
    last = performance.now();
    process.stderr.write(`${entries} entries …\n`);
  };
}
