import type { SortOrder } from '../../shared/validation/index.js';
import type { NameEntry } from './name-source.js';

/** By `name`, or by one of the times of the source. */
export type NameOrder = SortOrder;

/**
 * Selects the first entries of a page from entries in any order. Keeps only as many as the page needs, so that the
 * memory does not depend on the number of entries.
 */
export class NameSelection<Details> {
  /** The number of entries offered, those of earlier pages included. */
  matched = 0;
  private readonly selected: NameEntry<Details>[] = [];

  /**
   * @param after the last entry of the page before
   * @param size how many entries are kept at most
   */
  constructor(
    private readonly order: NameOrder,
    private readonly after: NameEntry<Details> | undefined,
    private readonly size: number,
  ) {}

  offer(entry: NameEntry<Details>): void {
    this.matched += 1;
    if (this.after !== undefined && this.compare(entry, this.after) <= 0) return;
    const { selected, size } = this;
    if (selected.length === size && this.compare(entry, selected[size - 1]!) > 0) return;
    selected.splice(this.findPlace(entry), 0, entry);
    if (selected.length > size) selected.pop();
  }

  get ids(): number[] {
    return this.selected.map(({ id }) => id);
  }

  /** Binary search. */
  private findPlace(entry: NameEntry<Details>): number {
    let [low, high] = [0, this.selected.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.compare(this.selected[middle]!, entry) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Entries with the same name or time are ordered by ID. */
  private compare(left: NameEntry<Details>, right: NameEntry<Details>): number {
    const { field, direction } = this.order;
    const keyOf = (entry: NameEntry<Details>) => (field === 'name' ? entry.foldedName : entry.times[field]!);
    const [one, other] = [keyOf(left), keyOf(right)];
    const ascending = one === other ? left.id - right.id : one < other ? -1 : 1;
    return direction === 'asc' ? ascending : -ascending;
  }
}
