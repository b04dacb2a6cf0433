import { jest } from '@jest/globals';
import { randomUUID } from 'node:crypto';

export type CommandResult = { status: number; stdout: string; stderr: string };

/** Commands print these lines every five seconds, so on slow machines only. */
const PROGRESS_LINES = /^[█░]+ .*\n/gmu;

/**
 * Runs a command of `src/cli/commands` in this process, because starting a process takes two seconds of CPU time.
 * Commands must not run at the same time. The result lacks progress lines, and log lines, because the logger writes
 * directly to the file descriptor.
 *
 * @param name name of the command, or `main` for a start of the service that fails early
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
    throw new Error('The command has called process.exit.');
  });
  Object.assign(process, { env: variables, argv: [...argv.slice(0, 2), ...words], exitCode: undefined });
  try {
    // The query makes Node evaluate the entry file again. The modules that it imports are shared.
    await import(`../../../src/${name === 'main' ? 'start' : `cli/commands/${name}`}.js?run=${randomUUID()}`);
  } catch (error) {
    if (exited === undefined) throw error;
  } finally {
    exited ??= Number(process.exitCode ?? 0);
    Object.assign(process, { env, argv, exitCode });
    for (const spy of [...spies, exit]) spy.mockRestore();
  }
  return { status: exited, stdout: outcome.stdout, stderr: outcome.stderr.replace(PROGRESS_LINES, '') };
}
