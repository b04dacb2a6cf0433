/** Returns the Books whose title contains each word. As in the service, case and accents are ignored. */
export function filterBooks<B extends { title: string }>(books: readonly B[], search: string): readonly B[] {
  const words = fold(search).split(/\s+/).filter(Boolean);
  return words.length === 0 ? books : books.filter(({ title }) => words.every((word) => fold(title).includes(word)));
}

const fold = (text: string) => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
