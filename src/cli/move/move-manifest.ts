import { z } from 'zod';
import { KEY_KINDS } from '../../shared/encryption/index.js';
import { CommandError } from '../command-error.js';
import type { Frame } from './frames.js';

/* The JSON documents of a move, in the order in which they are in the file. */

/** The first document. */
const headSchema = z.object({
  format: z.literal(1),
  moveId: z.uuid(),
  secret: z.string(),
  clinicId: z.int().positive(),
  takenAt: z.iso.datetime(),
  migrations: z.array(z.string()),
  /** The range from which the old installation assigns IDs. */
  idRange: z.int(),
  /** The version of the time zone data with which instants were computed. */
  zoneData: z.string().nullable(),
  /** The months of the audit entries, for which the new installation creates partitions. */
  auditFrom: z.string().nullable(),
  auditTo: z.string().nullable(),
  revokedTokens: z.array(z.object({ jti: z.string(), revokedAt: z.string(), expiresAt: z.string() })),
});

/** Comes before the rows of a table. */
const sectionSchema = z.object({ section: z.string(), columns: z.array(z.string()) });

/** Comes after the rows of a table. */
const checksumSchema = z.object({ rows: z.int(), sha256: z.string() });

/** Comes after all tables. `key` is the data key in base64; null if it was destroyed. */
const keysSchema = z.object({
  keys: z.array(z.object({ kind: z.enum(KEY_KINDS), id: z.int(), key: z.string().nullable() })),
});

/** The last document. Without it, the file is incomplete. */
const endSchema = z.object({ sections: z.int(), keys: z.int() });

export type MoveHead = z.output<typeof headSchema>;
export type MoveSection = z.output<typeof sectionSchema>;
export type MovedKey = z.output<typeof keysSchema>['keys'][number];

/** Reads the documents and rows of a move in their order. */
export class MoveReader {
  private next: Frame | undefined;

  constructor(private readonly frames: AsyncGenerator<Frame, void>) {}

  readHead(): Promise<MoveHead> {
    return this.read(headSchema);
  }

  /** Returns the next section, or undefined after the last one. */
  async readSection(): Promise<MoveSection | undefined> {
    const parsed = sectionSchema.safeParse(await this.peek());
    return parsed.success ? this.read(sectionSchema) : undefined;
  }

  /** Yields the rows of the section. */
  async *readRows(): AsyncGenerator<Buffer> {
    for (;;) {
      const frame = await this.peekFrame();
      if (frame.kind !== 'rows') return;
      this.next = undefined;
      yield frame.rows;
    }
  }

  readChecksum(): Promise<z.output<typeof checksumSchema>> {
    return this.read(checksumSchema);
  }

  async readKeys(): Promise<MovedKey[]> {
    return (await this.read(keysSchema)).keys;
  }

  readEnd(): Promise<z.output<typeof endSchema>> {
    return this.read(endSchema);
  }

  /** Stops reading. */
  async close(): Promise<void> {
    await this.frames.return(undefined);
  }

  private async read<Schema extends z.ZodType>(schema: Schema): Promise<z.output<Schema>> {
    const parsed = schema.safeParse(await this.peek());
    if (!parsed.success) throw new CommandError('The file does not contain a Clinic in the form of this release.');
    this.next = undefined;
    return parsed.data;
  }

  private async peek(): Promise<unknown> {
    const frame = await this.peekFrame();
    return frame.kind === 'json' ? frame.value : undefined;
  }

  private async peekFrame(): Promise<Frame> {
    if (this.next !== undefined) return this.next;
    const { done, value } = await this.frames.next();
    if (done) throw new CommandError('The file is incomplete.');
    this.next = value;
    return value;
  }
}
