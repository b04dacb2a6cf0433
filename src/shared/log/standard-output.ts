import { destination } from 'pino';

/**
 * The destination of the log. Writes are asynchronous, so that a slow reader does not block the event loop. Buffered
 * lines are lost if the process is killed.
 */
class StandardOutput {
  private readonly stream = destination({ dest: 1, sync: false });
  private pending: PromiseWithResolvers<undefined> | undefined;

  constructor() {
    this.stream.on('drain', () => this.settle());
    this.stream.on('error', (error: Error) => this.settle(error));
  }

  /** Implements the destination interface of pino. */
  write(line: string): void {
    this.pending ??= createPendingWrite();
    this.stream.write(line);
  }

  /** Resolves when all lines so far are passed to the operating system. Rejects if a write fails. */
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
  // Without a handler, a failed write that nothing awaits would end the process.
  pending.promise.catch(() => undefined);
  return pending;
}

/** The only instance: a second one would write lines out of order. */
export const standardOutput = new StandardOutput();
