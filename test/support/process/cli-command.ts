import { jest } from '@jest/globals';

export type CommandResult = { status: number; stdout: string; stderr: string };

let runs = 0;

/**
 * Runs a command of `src/cli/commands` in this process, from its first line to its last: as `node dist/src/cli/<name>.js` would,
 * whose start takes two seconds of CPU. One at a time. What the command logs is not caught: that goes to the file itself.
 *
 * @param name or `main`, the service, for a start that fails before there is an application
 */
export async function runCommandInProcess(
  name: string,
  words: readonly string[],
  variables: Record<string, string>,
): Promise<CommandResult> {
  const { env, argv, exitCode } = process;
  const outcome = { stdout: '', stderr: '' };
  let exited: number | undefined;
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    jest.spyOn(process[stream], 'write').mockImplementation((text) => {
      if (exited === undefined) outcome[stream] += String(text);
      return true;
    }),
  );
  const exit = jest.spyOn(process, 'exit').mockImplementation((code) => {
    exited ??= Number(code ?? 0);
    throw new Error('What comes after the exit of a process does not count.');
  });
  Object.assign(process, { env: variables, argv: [...argv.slice(0, 2), ...words], exitCode: undefined });
  runs += 1;
  try {
    // Each run evaluates the script anew, and shares all that it imports.
    await import(`../../../src/${name === 'main' ? 'start' : `cli/commands/${name}`}.js?run=${runs}`);
  } catch (error) {
    if (exited === undefined) throw error;
  } finally {
    exited ??= Number(process.exitCode ?? 0);
    Object.assign(process, { env, argv, exitCode });
    for (const spy of [...spies, exit]) spy.mockRestore();
  }
  return { status: exited, ...outcome };
}
