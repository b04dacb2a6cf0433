import { text } from 'node:stream/consumers';
import { explainToken } from '../../auth/index.js';
import { readEnvironmentWithoutKeys } from '../../shared/config/command-environment.js';
import { InvalidEnvironmentError } from '../../shared/config/env.js';
import { parseCommandLine } from '../command-line.js';

const HELP = `npm run --silent explain-token [-- --acting-role ROLE] [TOKEN | -]: explains why the service accepts or refuses a token. By
default, reads the token from standard input, which keeps it out of the shell history. Exit code 1 if the token is refused.

  --acting-role ROLE   the role of the header Acting-Role`;

try {
  const { values, positionals } = parseCommandLine(HELP, { 'acting-role': { type: 'string' } }, 1);
  const [argument = '-'] = positionals;
  const input = argument === '-' ? await text(process.stdin) : argument;
  // Also accepts a whole `Authorization` header or its value.
  const token = input.trim().replace(/^(authorization: *)?bearer +/i, '');
  const { isAccepted, lines } = await explainToken(readEnvironmentWithoutKeys(), token, values['acting-role']);
  process.stdout.write(`${lines.join('\n')}\n`);
  process.exitCode = isAccepted ? 0 : 1;
} catch (error) {
  const lines = error instanceof InvalidEnvironmentError ? error.lines : [(error as Error).message];
  process.stderr.write(`${lines.join('\n')}\n`);
  process.exitCode = 2;
}
