import type { Environment } from '../../shared/config/env.js';
import { Tracing } from '../../shared/tracing/index.js';
import { readTelemetryEnvironment, type Telemetry } from './telemetry-environment.js';

/** Used if no receiver is configured. Records and sends nothing. */
const NO_TELEMETRY: Telemetry = { tracing: new Tracing(), observe: () => undefined, start: async () => undefined };

/**
 * Loads OpenTelemetry if its standard variables name a receiver.
 *
 * @throws InvalidEnvironmentError if a variable is invalid
 */
export async function createTelemetry(environment: Environment): Promise<Telemetry> {
  const read = readTelemetryEnvironment(environment);
  if (read === undefined) return NO_TELEMETRY;
  const { OpenTelemetrySdk } = await import('./sdk.js');
  return new OpenTelemetrySdk(read);
}
