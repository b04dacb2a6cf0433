import { statfsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** How often free space is read while rows are inserted or indexes are built. */
const CHECK_MS = 1_000;

/** There is not enough space on the disk. The message is printed in one line. */
export class DiskSpaceError extends Error {}

/** Keeps an amount of disk space free for other programs: work stops before it would use that space. */
export class DiskReserve {
  /** @param bytes the space that must stay free on the disk of the directory */
  constructor(
    private readonly directory: string,
    private readonly bytes: number,
  ) {}

  /** @throws DiskSpaceError if an amount does not fit into the free space without the reserve */
  requireRoomFor(bytes: number): void {
    const free = this.readFree();
    if (free - bytes >= this.bytes) return;
    throw new DiskSpaceError(
      `about ${asGb(bytes)} are needed, ${asGb(free)} are free on the disk, and ${asGb(this.bytes)} stay free`,
    );
  }

  /**
   * Does some work. Cancels it when the free space falls below the reserve.
   *
   * @param cancel makes the work fail
   * @throws DiskSpaceError if the work was cancelled
   */
  async watch<Result>(work: () => Promise<Result>, cancel: () => Promise<unknown>): Promise<Result> {
    const state = { isShort: false, isDone: false };
    const watching = this.cancelIfShort(state, cancel);
    try {
      return await work();
    } catch (error) {
      if (!state.isShort) throw error;
      throw new DiskSpaceError(`less than ${asGb(this.bytes)} are free on the disk`, { cause: error });
    } finally {
      state.isDone = true;
      await watching;
    }
  }

  private async cancelIfShort(
    state: { isShort: boolean; isDone: boolean },
    cancel: () => Promise<unknown>,
  ): Promise<void> {
    while (!state.isDone) {
      state.isShort ||= this.readFree() < this.bytes;
      // Repeated, because a cancellation ends the current statement only.
      if (state.isShort) await cancel();
      await delay(CHECK_MS);
    }
  }

  private readFree(): number {
    const { bavail, bsize } = statfsSync(this.directory);
    return bavail * bsize;
  }
}

export function asGb(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}
