import type { Logger } from '@nestjs/common';
import { findRootCause } from '../../shared/errors/index.js';

/** During an outage of the database, each worker has an error with each poll. */
const LOG_INTERVAL_MS = 30_000;

/** Logs errors of pg-boss, at most one in 30 seconds, without their messages, which may contain values from rows. */
export class QueueErrorLog {
  private loggedAt = Number.NEGATIVE_INFINITY;
  private unloggedErrors = 0;

  constructor(private readonly logger: Pick<Logger, 'error'>) {}

  log(error: Error): void {
    this.unloggedErrors += 1;
    const now = performance.now();
    if (now - this.loggedAt < LOG_INTERVAL_MS) return;
    this.logger.error({ ...describeError(error), errors: this.unloggedErrors }, 'queue error');
    this.loggedAt = now;
    this.unloggedErrors = 0;
  }
}

/** A worker of pg-boss passes a plain object with the properties of the error, whose class is only in the stack. */
function describeError(error: Error & { code?: unknown }): { error: string | undefined; code: unknown } {
  if (!(error instanceof Error)) {
    const { stack, code } = error as { stack?: string; code?: unknown };
    return { error: /^\w+/.exec(stack ?? '')?.[0], code };
  }
  const { name, code } = findRootCause(error);
  return { error: name, code };
}
