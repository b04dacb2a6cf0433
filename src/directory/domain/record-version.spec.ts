import { changeFields } from './record-version.js';

it.each([
  ['another value', { name: 'B', email: null }, 2],
  ['a value that is cleared', { name: null }, 2],
  ['the same values', { name: 'A', email: null }, 1],
  ['no field', {}, 1],
])('counts %s', (_what, fields, version) => {
  const record: { version: number; name: string | null; email: string | null } = { version: 1, name: 'A', email: null };
  changeFields(record, fields);
  expect(record).toEqual({ name: 'A', email: null, ...fields, version });
});
