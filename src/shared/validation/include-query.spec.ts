import { z } from 'zod';
import { includeQuery } from './include-query.js';

const schema = z.object({ include: includeQuery(['client', 'careProvider']) });

it.each([
  [undefined, undefined],
  ['client', ['client']],
  ['client,careProvider,client', ['client', 'careProvider']],
  ['client, careProvider', ['client', 'careProvider']],
  [
    ['client', 'careProvider'],
    ['client', 'careProvider'],
  ],
])('reads %j', (include, expected) => {
  const names = schema.parse({ include }).include;
  expect(names && [...names]).toEqual(expected);
});

it.each([
  ['clients', 'did you mean client?'],
  ['client,careprovider', 'did you mean careProvider?'],
  ['', 'must be one or more of client, careProvider'],
  ['secrets', 'must be one or more of client, careProvider'],
  ['__proto__', 'must be one or more of'],
  ['client,'.repeat(60), 'must be one or more of'],
])('refuses %s', (include, message) => {
  expect(schema.safeParse({ include }).error?.issues[0]?.message).toContain(message);
});
