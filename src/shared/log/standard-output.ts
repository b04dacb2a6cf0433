import { destination } from 'pino';

/**
 * The log destination. Writes are asynchronous, so that a slow reader does not block the event loop. If the process is
 * killed, buffered lines are lost.
 */
class StandardOutput {
  private readonly stream = destination({ dest: 1, sync: false });
  private pending: PromiseWithResolvers<undefined> | undefined;

  constructor() {
    this.stream.on('drain', () => this.settle());
    this.stream.on('error', (error: Error) => this.settle(error));
  }

  /** Writes a line. The logger pino calls this method. */
  write(line: string): void {
    this.pending ??= createPendingWrite();
    this.stream.write(line);
  }

  /** Resolves when all lines written so far have been passed to the operating system. Rejects if a write fails. */
  async flush(): Promise<void> {
    await this.pending?.promise;
  }

  private settle(error?: Error): void {
    const { pending } = this;
    this.pending = undefined;
    if (error === undefined) pending?.resolve(undefined);
    else pending?.reject(error);
  }
}

function createPendingWrite(): PromiseWithResolvers<undefined> {
  const pending = Promise.withResolvers<undefined>();
  // Without this handler, a failed write that nothing awaits would crash the process.
  pending.promise.catch(() => undefined);
  return pending;
}

/** The only instance, because two instances could write lines out of order. */
export const standardOutput = new StandardOutput();
