import CircuitBreaker from 'opossum';
import { RetryLaterError } from './channel.js';

/**
 * The scope of a failure. SERVER: all messages. RECIPIENT: the server temporarily refuses this recipient. MESSAGE: the
 * server works, but permanently refuses this message or recipient.
 */
export type FailureScope = 'SERVER' | 'RECIPIENT' | 'MESSAGE';

type CircuitBreakerOptions = {
  /** The circuit does not open if fewer messages than this are sent within ten seconds. */
  minimumMessages: number;
  /** The circuit opens if more than this percentage of the messages fails. */
  failurePercentage: number;
  classifyFailure: (error: unknown) => FailureScope;
};

/** How long the circuit stays open before messages are tried again. */
const RESET_SECONDS = 5;
/**
 * Maximum time that a refused message waits before it is tried again. The wait grows while the server keeps failing,
 * because each retry costs database work.
 */
const MAX_WAIT_SECONDS = 60;
/** The circuit opens when this many different recipients have been refused without a success in between. */
const REFUSAL_LIMIT = 5;
/** How many refused recipients to remember. Repeated refusals of a remembered recipient are not counted. */
const MAX_REMEMBERED_RECIPIENTS = 10_000;
/** `REFUSAL_LIMIT` doubles with each minute of failures, at most this many times. */
const MAX_DOUBLINGS = 4;

/**
 * A circuit breaker for one channel. While the channel's server fails, most messages are refused immediately and
 * retried later.
 */
export class ChannelCircuitBreaker<Message, Response> {
  private readonly breaker: CircuitBreaker<[Message], Response>;
  /** Recipients that the server has temporarily refused and has not accepted since. */
  private readonly refusedRecipients = new Set<string>();
  private consecutiveRefusals = 0;
  private isOpenForRefusals = false;
  /** Time of the first failure in milliseconds of `performance.now()`; undefined while the server works. */
  private failingSince: number | undefined;

  constructor(
    send: (message: Message) => Promise<Response>,
    private readonly options: CircuitBreakerOptions,
  ) {
    this.breaker = new CircuitBreaker(send, {
      timeout: false,
      volumeThreshold: options.minimumMessages,
      errorThresholdPercentage: options.failurePercentage,
      resetTimeout: RESET_SECONDS * 1000,
      errorFilter: (error) => options.classifyFailure(error) !== 'SERVER',
    });
    this.breaker.on('open', () => (this.failingSince ??= performance.now()));
    this.breaker.on('halfOpen', () => this.onHalfOpen());
  }

  /** @throws RetryLaterError while the circuit is open; otherwise, the server's error */
  async send(recipient: string, message: Message): Promise<Response> {
    try {
      const response = await this.breaker.fire(message);
      this.refusedRecipients.delete(recipient);
      this.consecutiveRefusals = 0;
      this.failingSince = undefined;
      return response;
    } catch (error) {
      if (CircuitBreaker.isOurError(error as Error)) throw new RetryLaterError(this.computeWaitSeconds());
      if (this.options.classifyFailure(error) === 'RECIPIENT') this.countRefusal(recipient);
      throw error;
    }
  }

  shutdown(): void {
    this.breaker.shutdown();
  }

  private countRefusal(recipient: string): void {
    if (this.refusedRecipients.has(recipient)) return;
    if (this.refusedRecipients.size >= MAX_REMEMBERED_RECIPIENTS) this.refusedRecipients.clear();
    this.refusedRecipients.add(recipient);
    this.consecutiveRefusals += 1;
    const doublings = Math.min(Math.floor(this.failingSeconds / 60), MAX_DOUBLINGS);
    if (this.consecutiveRefusals < REFUSAL_LIMIT * 2 ** doublings) return;
    this.isOpenForRefusals = true;
    this.breaker.open();
  }

  /**
   * A half-open circuit lets one message through. If it opened because recipients were refused, it is closed instead,
   * so several recipients are tried: a server with greylisting refuses each recipient once and accepts the second
   * attempt.
   */
  private onHalfOpen(): void {
    if (!this.isOpenForRefusals) return;
    this.isOpenForRefusals = false;
    this.consecutiveRefusals = 0;
    this.breaker.close();
  }

  private computeWaitSeconds(): number {
    return Math.min(Math.max(Math.round(this.failingSeconds / 2), RESET_SECONDS), MAX_WAIT_SECONDS);
  }

  private get failingSeconds(): number {
    return this.failingSince === undefined ? 0 : (performance.now() - this.failingSince) / 1000;
  }
}
