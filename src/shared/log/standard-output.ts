import { once } from 'node:events';
import { destination } from 'pino';

/**
 * Lines are written together, as soon as they have this many bytes or `MAX_DELAY_MS` after the first. With one write for
 * each line, a request that reads a plan took 8 % more CPU time.
 */
const BATCH_BYTES = 4_096;
const MAX_DELAY_MS = 100;

/**
 * The log destination. Writes are asynchronous, so that a slow reader does not block the event loop. Lines that wait are
 * written when the process exits, possibly before those of a write in progress. If it is killed, they are lost.
 */
class StandardOutput {
  private readonly stream = destination({ dest: 1, sync: false, minLength: BATCH_BYTES });
  private givenBytes = 0;
  private writtenBytes = 0;
  private timer: NodeJS.Timeout | undefined;
  private whenDrained: Promise<void> | undefined;

  constructor() {
    this.stream.on('write', (bytes: number) => (this.writtenBytes += bytes));
    // A log that cannot be written must not stop the service. `flush` reports the error.
    this.stream.on('error', () => undefined);
  }

  /** Writes a line. The logger pino calls this method. */
  write(line: string): void {
    this.givenBytes += Buffer.byteLength(line);
    this.stream.write(line);
    this.timer ??= setTimeout(() => void this.flushInBackground(), MAX_DELAY_MS).unref();
  }

  /** Resolves when all lines given so far have been passed to the operating system. Rejects if a write fails. */
  async flush(): Promise<void> {
    const end = this.givenBytes;
    while (this.writtenBytes < end) {
      // All callers share one listener, because Node warns of a memory leak if a stream has more than ten.
      const whenDrained = (this.whenDrained ??= this.waitForDrain());
      // Has no effect during a write, so lines that were given since it began need another one.
      this.stream.flush();
      await whenDrained;
    }
  }

  private async waitForDrain(): Promise<void> {
    try {
      await once(this.stream, 'drain');
    } finally {
      this.whenDrained = undefined;
    }
  }

  private async flushInBackground(): Promise<void> {
    this.timer = undefined;
    await this.flush().catch(() => undefined);
  }
}

/** The only instance, because two instances could write lines out of order. */
export const standardOutput = new StandardOutput();
