import { Logger, PinoLogger } from 'nestjs-pino';
import type { Environment } from '../../shared/config/env.js';
import { standardOutput } from '../../shared/log/index.js';

/** The contexts of about 80 lines that Nest logs at startup. Only warnings and errors in these contexts are logged. */
const STARTUP_CONTEXTS = new Set([
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestFactory',
  'NestApplication',
]);

/** Creates the application logger, which writes JSON lines to standard output. */
export function createLogger({ logLevel }: Pick<Environment, 'logLevel'>): Logger {
  const options = {
    level: logLevel,
    base: null,
    hooks: {
      logMethod(this: unknown, args: unknown[], method: (...args: unknown[]) => void, level: number) {
        const [first] = args;
        const context: unknown = first instanceof Object ? Reflect.get(first, 'context') : undefined;
        if (level > 30 || !STARTUP_CONTEXTS.has(String(context))) method.apply(this, args);
      },
    },
  };
  return new Logger(new PinoLogger({ pinoHttp: [options, standardOutput] } as never), {});
}
