/** Number of IDs in a page. Its bits have 4 KiB. */
const PAGE_SIZE = 32_768;

/** A set of IDs with one bit for each. The IDs of entries are dense, and there can be many millions of them. */
export class IdSet {
  private readonly pages = new Map<number, Uint8Array>();

  add(id: number): void {
    const { page, byte, bit } = findPlace(id);
    let bits = this.pages.get(page);
    if (bits === undefined) {
      bits = new Uint8Array(PAGE_SIZE / 8);
      this.pages.set(page, bits);
    }
    bits[byte]! |= bit;
  }

  has(id: number): boolean {
    const { page, byte, bit } = findPlace(id);
    return ((this.pages.get(page)?.[byte] ?? 0) & bit) !== 0;
  }
}

function findPlace(id: number): { page: number; byte: number; bit: number } {
  const index = id % PAGE_SIZE;
  return { page: Math.floor(id / PAGE_SIZE), byte: index >> 3, bit: 1 << (index & 7) };
}
