import { expect } from '@jest/globals';
import type { TestApp } from '../app/test-app.js';

export type SyncItem = { id: number | string; version: number };
export type SyncPage = { items: SyncItem[]; deleted: SyncItem[]; nextCursor: string | null; syncToken: string | null };

/** Options for one synchronisation. */
type Pass = {
  limit?: number;
  /** Called before each page except the first. */
  between?: () => Promise<void>;
  /** Whether to apply the pages in reverse order. */
  shuffle?: boolean;
};

/** A copy of a list that is kept up to date by synchronisation. The pages of a pass may be applied in any order. */
export class SynchronisedCopy {
  private copies = new Map<number | string, { version: number; item: SyncItem | null }>();
  private syncToken: string | undefined;

  constructor(
    private readonly app: TestApp,
    private readonly path: string,
    private readonly token: string,
    private readonly filters = '',
  ) {}

  async synchronise({ limit = 200, between = async () => undefined, shuffle = false }: Pass = {}): Promise<void> {
    const query = `limit=${limit}&${this.filters}&${this.syncToken ? `syncToken=${this.syncToken}` : 'sync=true'}`;
    const pages: SyncPage[] = [];
    do {
      const cursor = pages.at(-1)?.nextCursor;
      if (cursor) await between();
      pages.push(await this.get(`${query}${cursor ? `&cursor=${cursor}` : ''}`));
      expect(pages.length).toBeLessThan(2_000);
    } while (pages.at(-1)!.nextCursor !== null);
    this.syncToken = pages.at(-1)!.syncToken!;
    expect(pages.slice(0, -1).every(({ syncToken }) => syncToken === null)).toBe(true);
    expect(pages.every(({ items, deleted }) => items.length + deleted.length <= limit)).toBe(true);
    for (const page of shuffle ? pages.toReversed() : pages) this.apply(page);
  }

  private async get(query: string): Promise<SyncPage> {
    const answer = await this.app.call('GET', `${this.path}?${query}`, { token: this.token });
    if (answer.status !== 200) throw new Error(`${this.path}?${query}: ${answer.status} ${answer.text}`);
    return answer.body as SyncPage;
  }

  private apply({ items, deleted }: SyncPage): void {
    const changes = [
      ...items.map((item) => ({ ...item, item })),
      ...deleted.map((tombstone) => ({ ...tombstone, item: null })),
    ];
    for (const { id, version, item } of changes) {
      const known = this.copies.get(id);
      if (known === undefined || version >= known.version) this.copies.set(id, { version, item });
    }
  }

  get items(): SyncItem[] {
    return [...this.copies.values()].flatMap(({ item }) => item ?? []).sort(compareById);
  }

  async expectEqualsList(): Promise<void> {
    const { items } = await this.get(`limit=200&${this.filters}`);
    expect([this.path, this.items]).toEqual([this.path, items.sort(compareById)]);
  }
}

const compareById = ({ id: left }: SyncItem, { id: right }: SyncItem): number =>
  left < right ? -1 : Number(left > right);
