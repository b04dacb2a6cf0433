import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { InvalidRequestError } from '../../shared/errors/index.js';
import {
  createInstallationDigest,
  encryptionOf,
  formatInstant,
  TenantEntityManager,
} from '../../shared/persistence/index.js';
import { cursorInstantSchema, parseCursor } from '../../shared/validation/index.js';
import type { NameSearchOrder, NameSearchPosition } from './name-page-selector.js';

/** Enough to notice that a name has changed, and too little to find the name. */
const DIGEST_BYTES = 3;

const nameKey = z.tuple([z.int(), z.int()]);
const timeKey = z.tuple([cursorInstantSchema, z.int()]);

type CursorKey = readonly (string | number)[];

/**
 * Cursors of name searches. In the order of names, a cursor holds the ID of the last record and a short digest of its
 * name, because names must not appear in URLs.
 */
@Injectable()
export class NameCursors {
  private computeDigest: ((name: string) => string) | undefined;

  constructor(private readonly em: TenantEntityManager) {}

  /** Creates a function that returns the key of a record for a cursor. */
  async createKeyOf(field: string): Promise<(last: NameSearchPosition) => CursorKey> {
    if (field !== 'name')
      return ({ id, times }) => [formatInstant(Temporal.Instant.fromEpochMilliseconds(times[field]!)), id];
    const digestOf = await this.loadDigest();
    return ({ id, foldedName }) => [id, digestOf(foldedName)];
  }

  /**
   * Finds the last record of the previous page.
   *
   * @param find finds a record that the caller may see
   * @throws InvalidRequestError (400) if the cursor belongs to another order, or if the record has a new name: the
   * records between its old and its new place would be left out
   */
  async findLast(
    cursor: string,
    order: NameSearchOrder,
    find: (id: number) => Promise<NameSearchPosition>,
  ): Promise<NameSearchPosition> {
    if (order.field !== 'name') {
      const [at, id] = parseCursor(cursor, timeKey, order)!;
      return { id, foldedName: '', times: { [order.field]: at.epochMilliseconds } };
    }
    const [id, digest] = parseCursor(cursor, nameKey, order)!;
    const last = await find(id);
    if ((await this.loadDigest())(last.foldedName) === digest) return last;
    throw new InvalidRequestError([
      { pointer: '/cursor', detail: 'the last record of that page has a new name: start again with the first page' },
    ]);
  }

  private async loadDigest(): Promise<(name: string) => number> {
    const compute = (this.computeDigest ??= await createInstallationDigest(encryptionOf(this.em), 'name in a cursor'));
    return (name) => Buffer.from(compute(name), 'base64url').readUIntBE(0, DIGEST_BYTES);
  }
}
