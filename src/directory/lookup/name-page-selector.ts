import type { SortOrder } from '../../shared/validation/index.js';
import type { NameEntry } from './name-search-source.js';

/** The order of a name search: by `name`, or by one of the time columns of the table. */
export type NameSearchOrder = SortOrder;

/** The fields that determine the position of an entry in an order. */
export type NameSearchPosition = Pick<NameEntry, 'id' | 'foldedName' | 'times'>;

/**
 * Selects the first entries of a page from entries in any order. Keeps only as many as the page needs, so that the
 * memory does not depend on the number of entries.
 */
export class NamePageSelector<Details> {
  /** The number of entries offered so far, including those of earlier pages. */
  matched = 0;
  /** The first entries after `after`, in sort order. */
  readonly selected: NameEntry<Details>[] = [];

  /**
   * @param after the last entry of the previous page
   * @param size maximum number of entries to keep
   */
  constructor(
    private readonly order: NameSearchOrder,
    private readonly after: NameSearchPosition | undefined,
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

  /** Finds the index at which to insert an entry. Uses a binary search. */
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
  private compare(left: NameSearchPosition, right: NameSearchPosition): number {
    const { field, direction } = this.order;
    const keyOf = (place: NameSearchPosition) => (field === 'name' ? place.foldedName : place.times[field]!);
    const [one, other] = [keyOf(left), keyOf(right)];
    const ascending = one === other ? left.id - right.id : one < other ? -1 : 1;
    return direction === 'asc' ? ascending : -ascending;
  }
}
