import { jest } from '@jest/globals';
import { z } from 'zod';
import { acceptAliases } from './alias.js';
import { requestMeta } from './documentation.js';
import { findUnknownFields, pickDeclaredFields, toSentPointer } from './unknown-fields.js';
import { optionalList, optionalText } from './wire-types.js';

const item = z.object({ bookId: z.int(), note: optionalText(10), more: z.object({ a: z.int() }).nullish() });
const aliases = { title: 'Title' };
const plain = z
  .object({ title: z.string(), items: optionalList(item, 5), anything: z.unknown(), days: z.int().default(7) })
  .refine(() => true)
  .meta({ id: 'UnknownMembersSpec', ...requestMeta(aliases, {}) });
const schema = acceptAliases(aliases, plain);
const nested = z.object({ plan: schema.meta({ description: 'The plan.' }) });

const pointers = (of: z.ZodType | undefined, value: unknown) =>
  findUnknownFields(of, value, 100).map(({ pointer }) => pointer);

it.each<[string, unknown, string[]]>([
  ['known members', { title: 'a', items: [{ bookId: 1, more: { a: 1 } }], days: 1 }, []],
  ['a second spelling', { Title: 'a' }, []],
  ['members of what may be anything', { anything: { x: 1 } }, []],
  ['a member of the body', { title: 'a', colour: 1 }, ['/colour']],
  ['members at every level', { x: 1, items: [{}, { y: 1, more: { z: 1 } }] }, ['/x', '/items/1/y', '/items/1/more/z']],
  ['names that a pointer must escape', { 'a/b~c': 1 }, ['/a~1b~0c']],
  ['names of an object prototype', JSON.parse('{"__proto__": {}, "constructor": 1}'), ['/__proto__', '/constructor']],
  ['what is not an object', [{ colour: 1 }], []],
  ['an object in place of a list', { items: { colour: 1 } }, []],
  ['null', null, []],
  ['text', 'colour', []],
])('%s', (_, value, expected) => {
  expect(pointers(schema, value)).toEqual(expected);
  expect(pointers(nested, { plan: value })).toEqual(expected.map((pointer) => `/plan${pointer}`));
});

it('suggests the nearest known field', () => {
  const details = findUnknownFields(schema, { titel: 'a', item: [], colour: 1 }, 100).map(({ detail }) => detail);
  expect(details).toEqual([
    'is not a field of this request: did you mean title?',
    'is not a field of this request: did you mean items?',
    'is not a field of this request',
  ]);
});

it('treats every member as unknown if there is no body', () => {
  expect(pointers(undefined, { note: 1 })).toEqual(['/note']);
  expect(pointers(undefined, {})).toEqual([]);
  expect(pointers(undefined, undefined)).toEqual([]);
});

it('stops at the maximum', () => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`x${index}`, 1]));
  expect(findUnknownFields(schema, { items: [many, many] }, 3)).toHaveLength(3);
});

it('reads no field after the maximum, however many there are', () => {
  const reads = jest.fn(() => 1);
  const name = (index: number) => (index % 2 === 0 ? `x${index}` : 'bookId');
  const fields = Array.from({ length: 500 }, (_, index) => [name(index), { get: reads, enumerable: true }] as const);
  const value: object = Object.defineProperties({}, Object.fromEntries(fields));
  expect(findUnknownFields(item, value, 3)).toHaveLength(3);
  expect(findUnknownFields(schema, { items: [value, value] }, 3)).toHaveLength(3);
  // The only field that the schema declares is read once for each call.
  expect(reads).toHaveBeenCalledTimes(2);
});

it.each<[string, z.ZodType | undefined, unknown, object]>([
  ['declared fields only', schema, { days: 1, colour: 1, title: 'a' }, { days: 1, title: 'a' }],
  ['a second spelling', schema, { Title: 'a' }, { Title: 'a' }],
  ['no names of an object prototype', schema, JSON.parse('{"__proto__": {"title": 1}, "constructor": 1}'), {}],
  ['nothing of a list', schema, [{ title: 'a' }], {}],
  ['nothing of bytes', schema, Buffer.from('title'), {}],
  ['nothing of null', schema, null, {}],
  ['nothing without a schema', undefined, { title: 'a' }, {}],
])('picks %s', (_, of, value, expected) => {
  expect(pickDeclaredFields(of, value)).toEqual(expected);
});

it.each<[string, unknown, string, string]>([
  ['the second spelling', { Title: 5 }, '/title', '/Title'],
  ['the second spelling if the first is null', { title: null, Title: 5 }, '/title', '/Title'],
  ['the first spelling', { title: 5 }, '/title', '/title'],
  ['the first spelling if both are present', { title: 5, Title: 6 }, '/title', '/title'],
  ['the first spelling if it is an empty text', { title: '', Title: 'a' }, '/title', '/title'],
  ['the first spelling if both are null', { title: null, Title: null }, '/title', '/title'],
  ['the first spelling if both are absent', {}, '/title', '/title'],
  ['the field of another level as it is', { items: [{ title: 1, Title: 1 }] }, '/items/0/title', '/items/0/title'],
  ['an escaped name as it is', { 'a/b~c': 1 }, '/a~1b~0c', '/a~1b~0c'],
  ['what is no field as it is', [1], '/if-match', '/if-match'],
])('points at %s', (_, value, pointer, expected) => {
  expect(toSentPointer(schema, value, pointer)).toBe(expected);
  expect(toSentPointer(nested, { plan: value }, `/plan${pointer}`)).toBe(`/plan${expected}`);
});

it('keeps the pointer to the whole body, and every pointer without a schema', () => {
  expect(toSentPointer(schema, { Title: 5 }, '')).toBe('');
  expect(toSentPointer(undefined, { Title: 5 }, '/title')).toBe('/title');
});
