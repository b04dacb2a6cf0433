import { Logger, PinoLogger } from 'nestjs-pino';
import type { Environment } from '../../shared/config/env.js';
import { summarizeError } from '../../shared/errors/index.js';
import { standardOutput } from '../../shared/log/index.js';

/** The contexts of about 80 lines that Nest logs at startup. Only warnings and errors in these contexts are logged. */
const STARTUP_CONTEXTS = new Set([
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestFactory',
  'NestApplication',
]);

/** The context of errors that occur while Nest creates the application. They concern the configuration. */
const STARTUP_ERROR_CONTEXT = 'ExceptionHandler';

/**
 * Creates the application logger, which writes JSON lines to standard output. It omits the message of an error that is
 * logged as such, because it may contain SQL with Client data.
 */
export function createLogger({ logLevel }: Pick<Environment, 'logLevel'>): Logger {
  const options = {
    level: logLevel,
    base: null,
    hooks: {
      logMethod(this: unknown, args: unknown[], method: (...args: unknown[]) => void, level: number) {
        const { context, err } = (args[0] instanceof Object ? args[0] : {}) as { context?: string; err?: unknown };
        if (level <= 30 && STARTUP_CONTEXTS.has(String(context))) return;
        // Nest logs errors of its own accord, such as one of a response that has begun.
        if (err instanceof Error && context !== STARTUP_ERROR_CONTEXT)
          method.call(this, { context, ...summarizeError(err) }, 'unexpected error');
        else method.apply(this, args);
      },
    },
  };
  return new Logger(new PinoLogger({ pinoHttp: [options, standardOutput] } as never), {});
}
