import { z } from 'zod';
import { isStrongSecret, WEAK_SECRET_MESSAGE } from '../../shared/config/secrets/secret-strength.js';
import { InvalidEnvironmentError, declareVariables, readVariables, type Environment } from '../../shared/config/env.js';

/** How metrics are exposed. */
type MetricsEnvironment = {
  /** The secret that scrapers send as a bearer token; undefined if no secret is needed. */
  token: string | undefined;
  /** The separate port for metrics; undefined if metrics use the port of the service. */
  port: number | undefined;
  host: string;
};

const metricsVariables = z.object(
  declareVariables('Metrics', {
    METRICS_TOKEN: z
      .string()
      .regex(/^\S{20,}$/, { error: 'must be at least 20 characters, without spaces', abort: true })
      .refine(isStrongSecret, WEAK_SECRET_MESSAGE)
      .optional()
      .meta({
        secret: true,
        description:
          'Bearer secret for reading `/metrics`, at least 20 random characters. Absent: no secret is needed.',
      }),
    METRICS_PORT: z.coerce
      .number({ error: 'must be a whole number from 0 to 65535' })
      .int()
      .min(0)
      .max(65_535)
      .optional()
      .describe('A separate port for `/metrics`, which is then not served on `PORT`.'),
    METRICS_HOST: z.string().optional().describe('Address of `METRICS_PORT`. Default: `HOST`.'),
  }),
);

/** @throws InvalidEnvironmentError with one line for each invalid variable */
export function readMetricsEnvironment({ rawVariables, port, host }: Environment): MetricsEnvironment {
  const { METRICS_TOKEN, METRICS_PORT, METRICS_HOST } = readVariables(metricsVariables, rawVariables);
  if (METRICS_PORT !== undefined && METRICS_PORT !== 0 && METRICS_PORT === port) {
    throw new InvalidEnvironmentError(['METRICS_PORT must be another port than PORT']);
  }
  return { token: METRICS_TOKEN, port: METRICS_PORT, host: METRICS_HOST ?? host };
}
