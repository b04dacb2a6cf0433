import { createHash } from 'node:crypto';
import {
  createEncrypter,
  readEncryptedFile,
  readIdentityFile,
  writeEncryptedFile,
} from '../../../src/cli/move/encrypted-file.js';
import { encodeJsonFrame, encodeRowsFrame } from '../../../src/cli/move/frames.js';
import type { MovedKey, MoveHead } from '../../../src/cli/move/move-manifest.js';
import type { MovingClinic } from './moving-clinic.js';

type RevokedHolder = MoveHead['revokedTokenHolders'][number];

/** Adds something to the file of a move: a row with these values (all others are null), a key, a revocation or a migration; or another key store. */
export type MoveAddition =
  | { section: string; values: Readonly<Record<string, string | number>>; isInChecksum: boolean }
  | { key: MovedKey }
  | { holder: RevokedHolder }
  | { migration: string }
  | { keyStoreId: string };

/** Writes a copy of an exported file with an addition, which takes only the public key of the recipient. */
export async function writeTamperedMove(moving: MovingClinic, addition: MoveAddition, copy: string): Promise<void> {
  const content = tamper(moving, addition);
  await writeEncryptedFile(moving.file(copy), createEncrypter(moving.recipient), content);
}

type Document = {
  revokedTokenHolders?: RevokedHolder[];
  migrations?: string[];
  keyStoreId?: string | null;
  section?: string;
  columns?: string[];
  sha256?: string;
  rows?: number;
  keys?: MovedKey[] | number;
};

async function* tamper(moving: MovingClinic, addition: MoveAddition): AsyncGenerator<Buffer> {
  let columns: readonly string[] | undefined;
  let hash = createHash('sha256');
  for await (const frame of readEncryptedFile(moving.file('moved'), readIdentityFile(moving.file('key')))) {
    if (frame.kind === 'rows') {
      hash.update(frame.rows);
      yield encodeRowsFrame(frame.rows);
      continue;
    }
    const document = frame.value as Document;
    if (document.section !== undefined) {
      hash = createHash('sha256');
      columns = 'section' in addition && addition.section === document.section ? document.columns : undefined;
    } else if ('section' in addition && columns !== undefined && document.sha256 !== undefined) {
      const row = Buffer.from(`${columns.map((name) => addition.values[name] ?? '\\N').join('\t')}\n`);
      yield encodeRowsFrame(row);
      if (addition.isInChecksum) {
        document.rows = document.rows! + 1;
        document.sha256 = hash.update(row).digest('hex');
      }
    } else if ('holder' in addition) {
      document.revokedTokenHolders?.push(addition.holder);
    } else if ('migration' in addition) {
      document.migrations?.push(addition.migration);
    } else if ('keyStoreId' in addition) {
      if (document.keyStoreId !== undefined) document.keyStoreId = addition.keyStoreId;
    } else if ('key' in addition && document.keys !== undefined) {
      document.keys = typeof document.keys === 'number' ? document.keys + 1 : [...document.keys, addition.key];
    }
    yield encodeJsonFrame(document);
  }
}
