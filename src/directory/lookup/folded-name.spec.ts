import fc from 'fast-check';
import { foldName, matchesName } from './folded-name.js';

const finds = (search: string, name: string) => matchesName(name, search);

describe('a search', () => {
  it.each([
    ['jose', 'José Núñez'],
    ['JOSÉ', 'jose nunez'],
    ['nunez jos', 'José Núñez'],
    ['Jose\u0301', 'Jos\u00e9'],
    ['strasse', 'Anna Straße'],
    ['STRASSE', 'Anna Straße'],
    ['groß', 'GROSS'],
    ['strasse', 'STRAẞE'],
    ['STRAẞE', 'Straße'],
    ['isik', 'Işık'],
    ['IŞIK', 'ışık'],
    ['ışık', 'ISIK'],
    ['istanbul', 'İSTANBUL'],
    ['lukasz', 'Łukasz'],
    ['soren', 'Søren'],
    ['οδος', 'ΟΔΟΣ'],
    ['ΟΔΟΣ αλφα', 'Άλφα οδός'],
    ['ﬁona', 'Fiona'],
    ['李', '李小龍'],
    ["o'brien", "O'Brien"],
    ['100%', '100% Plan'],
    ['_', 'a_b'],
    [' \t ', 'Alex'],
  ])('for %j finds %j', (search, name) => {
    expect(finds(search, name)).toBe(true);
  });

  it.each([
    ['josef', 'José'],
    ['jose maria', 'José Núñez'],
    ['%', 'José'],
    ['jo_e', 'José'],
    ['ä', 'B'],
  ])('for %j does not find %j', (search, name) => {
    expect(finds(search, name)).toBe(false);
  });
});

it('finds every name by its full text, in upper and lower case, and by each of its words', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (name) => {
      expect(foldName(foldName(name))).toBe(foldName(name));
      for (const search of [name, name.toLowerCase(), name.normalize('NFD'), name.normalize('NFC')])
        expect([name, search, finds(search, name)]).toEqual([name, search, true]);
    }),
  );
});

it.each([
  ['syllables of three letters', '한', 300, 900],
  ['letters with two accents', 'ộ', 300, 300],
  ['characters of two code units', '😀', 300, 600],
  ['ligatures of four letters', '\uFDF2', 300, 1_200],
  ['letters that stand for a phrase', '\uFDFA', 200, 1_200],
])('folds a long name of %s to a limited length, and finds it by its beginning', (_, letter, count, length) => {
  const name = letter.repeat(count);
  expect(foldName(name)).toHaveLength(length);
  for (const search of [letter, letter.repeat(50), name]) expect(finds(search, name)).toBe(true);
});
