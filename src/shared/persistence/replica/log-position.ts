/**
 * Format of a token: eight hexadecimal digits of the timeline and sixteen of the LSN. Newer positions have greater
 * tokens in string order.
 */
const TOKEN = /^[0-9A-F]{24}$/;
const TIMELINE_DIGITS = 8;
const LSN_DIGITS = 16;

/** The pattern of a token, for the OpenAPI document. */
export const POSITION_TOKEN_PATTERN = TOKEN.source;

/**
 * A position in PostgreSQL's write-ahead log: a timeline and an LSN. The timeline changes when a replica is promoted.
 * The same LSN on two servers stands for the same changes only if the timelines are equal.
 */
export class LogPosition {
  constructor(
    readonly timeline: number,
    readonly lsn: bigint,
  ) {}

  /** @param lsn in the format of PostgreSQL, such as `0/3000148` */
  static fromServer(timeline: number, lsn: string): LogPosition {
    const [high = '0', low = '0'] = lsn.split('/');
    return new LogPosition(timeline, (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`));
  }

  /** Parses a token. Returns undefined if the text is not a token. */
  static parse(token: string): LogPosition | undefined {
    if (!TOKEN.test(token)) return undefined;
    const [timeline, lsn] = [token.slice(0, TIMELINE_DIGITS), token.slice(TIMELINE_DIGITS)];
    return new LogPosition(Number.parseInt(timeline, 16), BigInt(`0x${lsn}`));
  }

  /** Whether a server at this position has all changes up to the other position. */
  covers(other: LogPosition): boolean {
    return this.timeline >= other.timeline && this.lsn >= other.lsn;
  }

  /** Returns the lowest position that covers both positions. */
  max(other: LogPosition): LogPosition {
    const lsn = this.lsn > other.lsn ? this.lsn : other.lsn;
    return new LogPosition(Math.max(this.timeline, other.timeline), lsn);
  }

  /** Returns the token that represents this position in the header `Consistency-Token`. */
  toString(): string {
    const [timeline, lsn] = [this.timeline.toString(16), this.lsn.toString(16)];
    return `${timeline.padStart(TIMELINE_DIGITS, '0')}${lsn.padStart(LSN_DIGITS, '0')}`.toUpperCase();
  }
}
