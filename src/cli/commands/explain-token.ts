import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { explainToken } from '../../auth/index.js';
import { InvalidEnvironmentError, readEnvironment } from '../../shared/config/env.js';

/*
 * npm run --silent explain-token [-- --acting-role ROLE] [TOKEN | -]: why the service accepts a token or refuses it, from
 * standard input unless it is given, which leaves it in the history of the shell. Exit code 1 where it is refused.
 */

try {
  const { values, positionals } = parseArgs({
    options: { 'acting-role': { type: 'string' } },
    allowPositionals: true,
  });
  const [given = '-', ...more] = positionals;
  if (more.length > 0) throw new Error('One token at a time.');
  const written = given === '-' ? await text(process.stdin) : given;
  // As it stands in a header, too.
  const token = written.trim().replace(/^(authorization: *)?bearer +/i, '');
  const { isAccepted, lines } = await explainToken(readEnvironment(), token, values['acting-role']);
  process.stdout.write(`${lines.join('\n')}\n`);
  process.exitCode = isAccepted ? 0 : 1;
} catch (error) {
  const lines = error instanceof InvalidEnvironmentError ? error.lines : [(error as Error).message];
  process.stderr.write(`${lines.join('\n')}\n`);
  process.exitCode = 2;
}
