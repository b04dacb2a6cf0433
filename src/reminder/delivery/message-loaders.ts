import type DataLoader from 'dataloader';
import { LRUCache } from 'lru-cache';
import { createBatchLoader } from './batch-loader.js';
import type { PreparedMessage } from './message-preparation.js';

const ALL_CLINICS = 0;
/** Maximum number of Clinics whose loaders are kept. */
const MAX_CLINICS = 1_000;

type Loaders = {
  /** Reads the number of QUEUED reminders of a message, by message ID. */
  queuedCounts: DataLoader<string, number>;
  refreshedMessages: DataLoader<string, PreparedMessage | undefined>;
};

/**
 * Batches the reads that are needed right before messages are sent. On a distributed database, each Clinic has its own
 * loaders; otherwise, all Clinics share the same loaders.
 */
export class MessageLoaders {
  private readonly loaders = new LRUCache<number, Loaders>({ max: MAX_CLINICS });

  constructor(
    private readonly countQueued: (ids: readonly string[], clinicId: number | undefined) => Promise<number[]>,
    private readonly prepare: (
      ids: readonly string[],
      clinicId: number | undefined,
    ) => Promise<Map<string, PreparedMessage>>,
  ) {}

  of(clinicId: number | undefined): Loaders {
    const known = this.loaders.get(clinicId ?? ALL_CLINICS);
    if (known !== undefined) return known;
    const loaders: Loaders = {
      queuedCounts: createBatchLoader((ids) => this.countQueued(ids, clinicId)),
      refreshedMessages: createBatchLoader(async (ids) => {
        const prepared = await this.prepare(ids, clinicId);
        return ids.map((id) => prepared.get(id));
      }),
    };
    this.loaders.set(clinicId ?? ALL_CLINICS, loaders);
    return loaders;
  }
}
