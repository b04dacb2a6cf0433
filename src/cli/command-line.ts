import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { describeDatabase } from '../shared/config/database-address.js';
import type { DatabaseEnvironment } from '../shared/config/env.js';

/** The arguments of a command are invalid. The message is printed without a stack trace. */
export class UsageError extends Error {}

type Values<O extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: O; allowPositionals: true }>
>['values'];

/**
 * Parses the arguments of a command. With `--help`, prints the help and exits.
 *
 * @param help the text for `--help`
 * @param maxPositionals the maximum number of positional arguments
 * @throws UsageError
 */
export function parseCommandLine<const O extends ParseArgsOptionsConfig>(
  help: string,
  options: O,
  maxPositionals = 0,
): { values: Values<O>; positionals: string[] } {
  const args = process.argv.slice(2);
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(`${help.trim()}\n`);
    process.exit(0);
  }
  const { values, positionals } = parseArguments(args, options);
  const unknown = positionals[maxPositionals];
  if (unknown !== undefined) throw new UsageError(`Unknown argument "${unknown}". See --help.`);
  return { values, positionals };
}

/** Parses arguments with any number of positional ones. @throws UsageError */
export function parseArguments<const O extends ParseArgsOptionsConfig>(args: readonly string[], options: O) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    // The first sentence of the message names the option and the error. The rest are suggestions. A name can have a dot.
    throw new UsageError(`${(error as Error).message.split(/\. |\.?(?:\n|$)/, 1)[0]!}. See --help.`);
  }
}

/** Parses the option `--clinic`. @throws UsageError if it is missing or is not an ID */
export function parseClinicId(text: string | undefined): number {
  if (text === undefined || !/^[1-9]\d{0,14}$/.test(text)) throw new UsageError('--clinic must be the id of a Clinic.');
  return Number(text);
}

/** Prints which database a command uses, so that an operator sees a wrong one. */
export function printDatabase(database: DatabaseEnvironment): void {
  if (database.kind === 'postgresql') printLine(`database ${describeDatabase(database.migrationUrl)}`);
}

export function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}
