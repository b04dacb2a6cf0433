import { PreconditionFailedError } from './application-error.js';
import { requireVersion } from './require-version.js';

it.each([
  [undefined, true],
  [3, true],
  [2, false],
  [4, false],
  [0, false],
  ['ABSENT', false],
] as const)('for a caller with version %s, allows a change of version 3: %s', (seen, isAllowed) => {
  const check = () => requireVersion({ version: 3 }, seen);
  if (isAllowed) expect(check).not.toThrow();
  else expect(check).toThrow(PreconditionFailedError);
});

it.each([
  [undefined, true],
  [0, false],
  [1, false],
  ['ABSENT', true],
] as const)('for a caller with version %s, allows the creation of a record: %s', (seen, isAllowed) => {
  const check = () => requireVersion(null, seen);
  if (isAllowed) expect(check).not.toThrow();
  else expect(check).toThrow(PreconditionFailedError);
});
