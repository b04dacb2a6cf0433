import { z } from 'zod';
import { ROLES_WITH_RECORD } from '../../auth/index.js';
import { KEY_OWNER_KINDS } from '../../shared/encryption/index.js';
import { CommandError } from '../command-error.js';
import type { MoveFrame } from './frames.js';

/* The JSON documents in the file of a move, in their order in the file. */

/** The first document in the file, by which the new installation decides whether it can receive the Clinic. */
const headSchema = z.object({
  format: z.literal(1),
  moveId: z.uuid(),
  secret: z.string(),
  clinicId: z.int().positive(),
  takenAt: z.iso.datetime(),
  migrations: z.array(z.string()),
  /** The range from which the old installation assigns IDs. */
  idRange: z.int(),
  /** The ID of the old installation's key store; null if it has none. */
  keyStoreId: z.string().nullable(),
  /** The version of the time zone data with which instants were computed. */
  zoneData: z.string().nullable(),
  /** The months of the audit entries, for which the new installation creates partitions. */
  auditFrom: z.string().nullable(),
  auditTo: z.string().nullable(),
  revokedTokens: z.array(z.object({ jti: z.string(), revokedAt: z.string(), expiresAt: z.string() })),
  revokedTokenHolders: z.array(
    z.object({
      subject: z.string().nullable(),
      role: z.enum(ROLES_WITH_RECORD).nullable(),
      recordId: z.int().nullable(),
      issuedBefore: z.string(),
      revokedAt: z.string(),
      expiresAt: z.string(),
    }),
  ),
});

/** The document before the rows of each table. */
const sectionSchema = z.object({ section: z.string(), columns: z.array(z.string()) });

/** The document after the rows of each table, with which the received rows are compared. */
const checksumSchema = z.object({ rows: z.int(), sha256: z.string() });

/** The document after all tables: the data keys. `key` is a key in base64; null if it was destroyed. */
const keysSchema = z.object({
  keys: z.array(z.object({ kind: z.enum(KEY_OWNER_KINDS), id: z.int(), key: z.string().nullable() })),
});

/** The last document in the file. If it is missing, the file is incomplete. */
const endSchema = z.object({ sections: z.int(), keys: z.int() });

export type MoveHead = z.output<typeof headSchema>;
export type MoveSection = z.output<typeof sectionSchema>;
export type MovedKey = z.output<typeof keysSchema>['keys'][number];

/** Reads the documents and rows of a move in the order in which the file contains them. */
export class MoveReader {
  private next: MoveFrame | undefined;

  constructor(private readonly frames: AsyncGenerator<MoveFrame, void>) {}

  readHead(): Promise<MoveHead> {
    return this.read(headSchema);
  }

  /** Returns the next section, or undefined after the last one. */
  async readSection(): Promise<MoveSection | undefined> {
    const parsed = sectionSchema.safeParse(await this.peek());
    return parsed.success ? this.read(sectionSchema) : undefined;
  }

  /** Yields the rows of the section that `readSection` has returned. */
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

  /** Stops reading and closes the file, even if not all of it has been read. */
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

  private async peekFrame(): Promise<MoveFrame> {
    if (this.next !== undefined) return this.next;
    const { done, value } = await this.frames.next();
    if (done) throw new CommandError('The file is incomplete.');
    this.next = value;
    return value;
  }
}
