import { toArrayForm, toArrayLiteral } from './array-parameter.js';
import { InstantType } from './instant.type.js';

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

describe('the form of a column in an array', () => {
  const valueOf = (value: unknown) => `stored ${String(value)}`;

  it.each([
    ['1970-01-01T00:00:01.5Z', 1_500],
    ['0001-01-01T00:00:00Z', -62_135_596_800_000],
    ['9999-12-31T23:59:59.999Z', 253_402_300_799_999],
    ['0000-12-31T23:59:59.999Z', '0000-12-31T23:59:59.999Z'],
    ['+010000-01-01T00:00:00Z', '+010000-01-01T00:00:00.000Z'],
  ])('sends the instant %s as %j', (text, element) => {
    const { type, toElement, toExpression } = toArrayForm('timestamptz(3)', new InstantType(), valueOf);
    expect(toElement(Temporal.Instant.from(text))).toBe(element);
    expect([toElement(null), toElement(undefined)]).toEqual([null, undefined]);
    expect([type, toExpression('x')]).toEqual(['bigint', 'to_timestamp(x * 0.001::float8)']);
  });

  it.each([
    ['jsonb', 'text', 'x::jsonb'],
    ['text', 'text', 'x'],
    ['bigint', 'bigint', 'x'],
  ])('sends %s as %s', (columnType, type, expression) => {
    const form = toArrayForm(columnType, undefined, valueOf);
    expect([form.type, form.toElement(1), form.toExpression('x')]).toEqual([type, 'stored 1', expression]);
  });
});
