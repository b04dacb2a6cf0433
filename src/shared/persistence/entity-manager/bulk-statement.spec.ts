import { toArrayLiteral, splitIntoBulkChunks } from './bulk-statement.js';

/* The syntax of PostgreSQL array literals: https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO */

it.each<[unknown[], string]>([
  [[], '{}'],
  [[1, -2.5, 9_007_199_254_740_991], '{1,-2.5,9007199254740991}'],
  [[true, false], '{true,false}'],
  [[null, undefined], '{NULL,NULL}'],
  [['NULL', 'null', ''], '{"NULL","null",""}'],
  [['a,b', '{}', ' c '], '{"a,b","{}"," c "}'],
  [['"', '\\', '\\"'], '{"\\"","\\\\","\\\\\\""}'],
  [['line\nbreak', 'ü'], '{"line\nbreak","ü"}'],
  [[{ a: ['"'] }], '{"{\\"a\\":[\\"\\\\\\"\\"]}"}'],
])('writes %j as an array literal', (values, literal) => {
  expect(toArrayLiteral(values)).toBe(literal);
});

it.each([
  [0, []],
  [1, [1]],
  [1_000, [1_000]],
  [1_001, [1_000, 1]],
  [2_500, [1_000, 1_000, 500]],
])('splits %i rows into statements', (count, sizes) => {
  const rows = Array.from({ length: count }, (_, index) => ({ index }));
  const chunks = splitIntoBulkChunks(rows);
  expect(chunks.map((chunk) => chunk.length)).toEqual(sizes);
  expect(chunks.flat()).toEqual(rows);
});
