import { parseArgs } from 'node:util';
import { signToken } from '../auth/index.js';
import { ROLES, type Role } from '../shared/access/index.js';
import { InvalidEnvironmentError, readEnvironment } from '../shared/env.js';

/* npm run --silent token -- --role CLINIC --id 1 [--ttl 1h]: prints one access token and nothing else. */

try {
  const { values } = parseArgs({
    options: { role: { type: 'string' }, id: { type: 'string' }, ttl: { type: 'string', default: '1h' } },
  });
  const role = values.role?.toUpperCase() as Role;
  if (!ROLES.includes(role)) throw new Error(`--role must be one of ${ROLES.join(', ')}`);
  if (values.id !== undefined && !/^[1-9]\d{0,14}$/.test(values.id)) throw new Error('--id must be a positive integer');
  const id = values.id === undefined ? undefined : Number(values.id);
  process.stdout.write(`${await signToken(readEnvironment().token, { role, id, lifetime: values.ttl })}\n`);
} catch (error) {
  const lines = error instanceof InvalidEnvironmentError ? error.lines : [(error as Error).message];
  process.stderr.write(`${lines.join('\n')}\n`);
  process.exitCode = 1;
}
