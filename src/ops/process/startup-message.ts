import { Logger } from '@nestjs/common';
import { limitTokenLifetime, signToken } from '../../auth/index.js';
import { InvalidEnvironmentError, type Environment } from '../../shared/config/env.js';
import { isLoopback } from '../../shared/config/transport-security.js';
import { findRootCause, firstLine } from '../../shared/errors/index.js';
import {
  DataDirectoryDamagedError,
  DataDirectoryInUseError,
  MissingKeysError,
  PendingMigrationsError,
  RowsInUseError,
  TableInUseError,
  WrongLoginError,
} from '../../shared/persistence/index.js';
import { MetricsPortError } from '../metrics/metrics.server.js';
import { describeConnectionFailure, OwnerLoginError } from './owner-errors.js';
import { DistributedDatabaseError } from './schema.js';

const DEMONSTRATION_TOKEN_LIFETIME = Temporal.Duration.from({ hours: 8 });

/** Logs the URL of the service. With the embedded database, also prints how to try the service. */
export async function printStartupMessage(environment: Environment): Promise<void> {
  const { publicUrl, database } = environment;
  new Logger('Start').log({ publicUrl, docs: `${publicUrl}/docs`, database: database.kind }, 'ready');
  if (database.kind === 'embedded')
    process.stdout.write(`${(await createDemonstrationLines(environment)).join('\n')}\n`);
}

/**
 * Includes tokens only if the secret was generated in this data directory and only this machine can reach the service.
 * Otherwise, the output may go to a shared log, which must not contain tokens.
 */
async function createDemonstrationLines({ publicUrl, token, host, console }: Environment): Promise<string[]> {
  const welcome = [
    ...['', `Care scheduling is ready at ${publicUrl}`],
    ...(console ? [`Open the console:       ${publicUrl}/`] : []),
    ...[`API documentation:      ${publicUrl}/docs`, ''],
  ];
  if (token.key.kind === 'keySet') return welcome;
  if (token.key.kind !== 'generated' || !isLoopback(host))
    return [...welcome, 'A token for it:         npm run --silent token -- --role CLINIC --id 1', ''];
  const tokenLifetime = limitTokenLifetime(token, DEMONSTRATION_TOKEN_LIFETIME);
  const lifetime = `${tokenLifetime.total('seconds')}s`;
  const clinic = await signToken(token, { role: 'CLINIC', id: 1, lifetime });
  return [
    ...welcome,
    `Demonstration tokens, valid for ${tokenLifetime.toLocaleString('en', { style: 'long' })}:`,
    `  Clinic 1         ${clinic}`,
    `  Care Provider 1  ${await signToken(token, { role: 'CARE_PROVIDER', id: 1, lifetime })}`,
    `  Client 1         ${await signToken(token, { role: 'CLIENT', id: 1, lifetime })}`,
    `  Administrator    ${await signToken(token, { role: 'ADMIN', lifetime })}`,
    '',
    'Try it:',
    `  curl -i ${publicUrl}/gateway/profile/clinic/design-plan -H 'authorization: bearer ${clinic}' -H 'content-type: application/json' -d '{"planName":"My first plan"}'`,
    '',
  ];
}

/** Errors whose messages are printed unchanged, because they need no explanation. */
const SELF_EXPLANATORY_ERRORS = [
  DataDirectoryInUseError,
  DataDirectoryDamagedError,
  DistributedDatabaseError,
  MissingKeysError,
  OwnerLoginError,
  PendingMigrationsError,
  RowsInUseError,
  TableInUseError,
  WrongLoginError,
];

/** Describes a startup error in one line, or in one line for each invalid variable. */
export function describeStartupError(error: unknown): string {
  return describeFailure(error, 'The service could not start');
}

/** Describes why a command failed, as `describeStartupError` does for the service. */
export function describeCommandFailure(error: unknown): string {
  return describeFailure(error, 'The command failed');
}

/** @param failure what has failed, for errors without a description of their own */
function describeFailure(error: unknown, failure: string): string {
  if (error instanceof InvalidEnvironmentError) return error.lines.map((line) => `Environment: ${line}`).join('\n');
  if (SELF_EXPLANATORY_ERRORS.some((kind) => error instanceof kind)) return (error as Error).message;
  const { code, address, port, message } = findRootCause(error);
  if (code === 'EADDRINUSE') {
    const variable = error instanceof MetricsPortError ? 'METRICS_PORT' : 'PORT';
    return `Port ${port} on ${address} is in use: set ${variable} to a free port.`;
  }
  const reason = code === undefined ? '' : ` (${code})`;
  return describeConnectionFailure(error, 'DATABASE_URL') ?? `${failure}${reason}: ${firstLine(message)}`;
}
