import { destination } from 'pino';

/**
 * Standard output, where the log goes. It is written to asynchronously, so that a slow reader does not block the event
 * loop: lines wait in memory, and are lost with a process that is killed.
 */
class StandardOutput {
  private readonly stream = destination({ dest: 1, sync: false });
  private pending: PromiseWithResolvers<undefined> | undefined;

  constructor() {
    this.stream.on('drain', () => this.settle());
    this.stream.on('error', (error: Error) => this.settle(error));
  }

  /** The one method that pino asks of a destination. */
  write(line: string): void {
    this.pending ??= createPendingWrite();
    this.stream.write(line);
  }

  /** Resolves when the operating system has all that was written so far; rejects when it cannot be written. */
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
  // Most lines are waited for by nobody.
  pending.promise.catch(() => undefined);
  return pending;
}

/** One for the process, as there is one standard output. */
export const standardOutput = new StandardOutput();
