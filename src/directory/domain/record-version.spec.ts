import { PreconditionFailedError } from '../../shared/errors/index.js';
import { changeFields, requireVersion } from './record-version.js';

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

it.each([
  [undefined, true],
  [3, true],
  [2, false],
  [4, false],
])('for a caller with version %s, allows a change of version 3: %s', (seen, isAllowed) => {
  const check = () => requireVersion({ version: 3 }, seen);
  if (isAllowed) expect(check).not.toThrow();
  else expect(check).toThrow(PreconditionFailedError);
});
