import { Injectable, Logger } from '@nestjs/common';
import { UnauthenticatedError } from '../../shared/errors/index.js';
import { REFUSAL_REASONS, type RefusalReason } from '../token/token-refusal.js';

/** Minimum time between two log lines with the same reason, so that a flood of refused tokens cannot fill the disk. */
const LOG_INTERVAL_MS = 10_000;

/**
 * Logs why tokens are refused, without the tokens or their claims. Each line contains the number of refusals since the
 * previous line with the same reason.
 */
@Injectable()
export class RefusedTokenLog {
  private readonly logger = new Logger('Authentication');
  private readonly lastLines = new Map<string, { at: number; since: number }>();

  /** Logs the refusal of a token. Ignores other errors. */
  record(error: unknown): void {
    if (!(error instanceof UnauthenticatedError) || error.reason === undefined) return;
    const { reason } = error;
    const last = this.lastLines.get(reason);
    const count = (last?.since ?? 0) + 1;
    const now = performance.now();
    if (last !== undefined && now - last.at < LOG_INTERVAL_MS) {
      last.since = count;
      return;
    }
    this.lastLines.set(reason, { at: now, since: 0 });
    this.logger.log(
      { event: 'token.refused', reason, because: REFUSAL_REASONS[reason as RefusalReason], count },
      'token refused',
    );
  }
}
