import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';

/** Something in the call of a command that is not as it should be: told in one line. */
export class UsageError extends Error {}

type Values<O extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: O; allowPositionals: true }>
>['values'];

/**
 * Reads the arguments of a command: the options that it knows, `--help`, and so many words.
 *
 * @param help what `--help` prints; the process ends with it
 * @param words how many words that are no options the command takes, at least and at most
 * @throws UsageError
 */
export function readCommandLine<const O extends ParseArgsOptionsConfig>(
  help: string,
  options: O,
  words: readonly [least: number, most: number] = [0, 0],
): { values: Values<O>; positionals: string[] } {
  const args = process.argv.slice(2);
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(`${help.trim()}\n`);
    process.exit(0);
  }
  const { values, positionals } = parseArguments(args, options);
  const [least, most] = words;
  const unknown = positionals[most];
  if (unknown !== undefined) throw new UsageError(`Unknown word "${unknown}". See --help.`);
  if (positionals.length < least) throw new UsageError('A word is missing. See --help.');
  return { values, positionals };
}

function parseArguments<const O extends ParseArgsOptionsConfig>(args: string[], options: O) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    // Its first sentence says which option and what is wrong; the others guess.
    throw new UsageError(`${(error as Error).message.split(/[.\n]/, 1)[0]!}. See --help.`);
  }
}
