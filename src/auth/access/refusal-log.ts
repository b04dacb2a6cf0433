import { Injectable, Logger } from '@nestjs/common';
import { UnauthenticatedError } from '../../shared/errors/index.js';
import { REFUSALS, type RefusalReason } from '../token/token-refusal.js';

/** A flood of refusals must not fill the disk: one line for each reason in this time, with how many there were. */
const QUIET_MS = 10_000;

/** Tells the operator why tokens are refused: never the token, nor whose it is. */
@Injectable()
export class RefusalLog {
  private readonly logger = new Logger('Authentication');
  private readonly told = new Map<string, { at: number; since: number }>();

  note(error: unknown): void {
    if (!(error instanceof UnauthenticatedError) || error.reason === undefined) return;
    const { reason } = error;
    const last = this.told.get(reason);
    const count = (last?.since ?? 0) + 1;
    const now = performance.now();
    if (last !== undefined && now - last.at < QUIET_MS) {
      last.since = count;
      return;
    }
    this.told.set(reason, { at: now, since: 0 });
    this.logger.log(
      { event: 'token.refused', reason, because: REFUSALS[reason as RefusalReason], count },
      'token refused',
    );
  }
}
