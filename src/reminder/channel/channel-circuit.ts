import CircuitBreaker from 'opossum';
import { NotNowError } from './channel.js';

/**
 * Whom an error speaks of. SERVER: it fails for everybody. RECIPIENT: it refuses this recipient for now. MESSAGE: it
 * refuses this message or recipient for good, which says nothing about the server.
 */
export type Blame = 'SERVER' | 'RECIPIENT' | 'MESSAGE';

export type CircuitOptions = {
  /** Messages within ten seconds from which the share of failures counts. */
  volume: number;
  /** Share of failures in percent above which the circuit opens. */
  threshold: number;
  blame: (error: unknown) => Blame;
};

/** An open circuit rests for this long, then it is tried again … */
const REST_SECONDS = 5;
/** … and messages come back the later, the longer the server fails: a backlog that goes round costs us, too. */
const LONGEST_WAIT_SECONDS = 60;
/** So many different recipients who are refused for now, and no success between them: that is the server … */
const REFUSED_RECIPIENTS = 5;
/** … but not those who were refused before: they come back and say nothing new. So many are remembered. */
const MOST_REMEMBERED = 10_000;
/** Each minute of such refusals doubles how many may try after a rest, so often at most. */
const MOST_DOUBLINGS = 4;

/** Keeps messages away from a server that fails. */
export class Circuit<Message, Answer> {
  private readonly breaker: CircuitBreaker<[Message], Answer>;
  /** Recipients who were refused for now, and have not been reached since. */
  private readonly refused = new Set<string>();
  private refusedInARow = 0;
  private isOpenForRefusals = false;
  private failingSince: number | undefined;

  constructor(
    send: (message: Message) => Promise<Answer>,
    private readonly options: CircuitOptions,
  ) {
    this.breaker = new CircuitBreaker(send, {
      timeout: false,
      volumeThreshold: options.volume,
      errorThresholdPercentage: options.threshold,
      resetTimeout: REST_SECONDS * 1000,
      errorFilter: (error) => options.blame(error) !== 'SERVER',
    });
    this.breaker.on('open', () => (this.failingSince ??= performance.now()));
    this.breaker.on('halfOpen', () => this.tryAgain());
  }

  /** @throws NotNowError while the circuit is open, else what the server answers */
  async fire(recipient: string, message: Message): Promise<Answer> {
    try {
      const answer = await this.breaker.fire(message);
      this.refused.delete(recipient);
      this.refusedInARow = 0;
      this.failingSince = undefined;
      return answer;
    } catch (error) {
      if (CircuitBreaker.isOurError(error as Error)) throw new NotNowError(this.wait());
      if (this.options.blame(error) === 'RECIPIENT') this.count(recipient);
      throw error;
    }
  }

  shutdown(): void {
    this.breaker.shutdown();
  }

  private count(recipient: string): void {
    if (this.refused.has(recipient)) return;
    if (this.refused.size >= MOST_REMEMBERED) this.refused.clear();
    this.refused.add(recipient);
    this.refusedInARow += 1;
    const doublings = Math.min(Math.floor(this.failingSeconds / 60), MOST_DOUBLINGS);
    if (this.refusedInARow < REFUSED_RECIPIENTS * 2 ** doublings) return;
    this.isOpenForRefusals = true;
    this.breaker.open();
  }

  /**
   * A server that is broken lets one message try it. One that refuses recipients lets several: one that greylists
   * takes nobody whom it has not refused before, so all of them have to be tried once.
   */
  private tryAgain(): void {
    if (!this.isOpenForRefusals) return;
    this.isOpenForRefusals = false;
    this.refusedInARow = 0;
    this.breaker.close();
  }

  private wait(): number {
    return Math.min(Math.max(Math.round(this.failingSeconds / 2), REST_SECONDS), LONGEST_WAIT_SECONDS);
  }

  private get failingSeconds(): number {
    return this.failingSince === undefined ? 0 : (performance.now() - this.failingSince) / 1000;
  }
}
