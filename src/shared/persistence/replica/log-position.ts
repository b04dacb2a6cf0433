/** A token: eight hexadecimal digits of the timeline and sixteen of the LSN, so that tokens sort by age as texts. */
const TOKEN = /^[0-9A-F]{24}$/;
const TIMELINE_DIGITS = 8;
const LSN_DIGITS = 16;

/** The pattern of a token in the OpenAPI document. */
export const POSITION_TOKEN_PATTERN = TOKEN.source;

/**
 * A position in PostgreSQL's write-ahead log. The timeline changes when a replica is promoted. Positions of two servers
 * name the same changes only if they have the same timeline.
 */
export class LogPosition {
  constructor(
    readonly timeline: number,
    readonly lsn: bigint,
  ) {}

  /** @param lsn as PostgreSQL writes it, such as `0/3000148` */
  static fromServer(timeline: number, lsn: string): LogPosition {
    const [high = '0', low = '0'] = lsn.split('/');
    return new LogPosition(timeline, (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`));
  }

  /** Returns undefined if the text is not a token. */
  static parse(token: string): LogPosition | undefined {
    if (!TOKEN.test(token)) return undefined;
    const [timeline, lsn] = [token.slice(0, TIMELINE_DIGITS), token.slice(TIMELINE_DIGITS)];
    return new LogPosition(Number.parseInt(timeline, 16), BigInt(`0x${lsn}`));
  }

  /** Whether a server that has reached this position also has the changes up to the other. */
  covers(other: LogPosition): boolean {
    return this.timeline >= other.timeline && this.lsn >= other.lsn;
  }

  /** Returns a position that covers both. */
  max(other: LogPosition): LogPosition {
    const lsn = this.lsn > other.lsn ? this.lsn : other.lsn;
    return new LogPosition(Math.max(this.timeline, other.timeline), lsn);
  }

  /** Returns the token. */
  toString(): string {
    const [timeline, lsn] = [this.timeline.toString(16), this.lsn.toString(16)];
    return `${timeline.padStart(TIMELINE_DIGITS, '0')}${lsn.padStart(LSN_DIGITS, '0')}`.toUpperCase();
  }
}
