import { parseUnambiguousJson } from './unambiguous-json.js';

const part = (text: string | Buffer) => Buffer.from(text).toString('base64url');
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

it.each([
  '{}',
  '[]',
  'null',
  '1',
  '"text"',
  '{"a":1}',
  '{"a":1,"b":{"a":1}}',
  '{"a":[{"b":1},{"b":2}]}',
  '{ "a" : 1 , "b"\t:\n2 }',
  '{"a":"b:c","d":"\\"e\\":"}',
  '{"a\\"b":1,"c\\\\":2}',
  '["a","b:","c"]',
  '["a",":b"]',
  '{"a":null,"":0}',
  nested(32),
])('parses %j', (text) => {
  expect(parseUnambiguousJson(part(text))).toEqual(JSON.parse(text));
});

it.each([
  '{"a":1,"a":1}',
  '{"a":1,"\\u0061":2}',
  '{"a":{"b":1,"b":2}}',
  '{"a":[1,{"b":1, "b" :2}]}',
  '[{"a":1,"a":2}]',
  '{"a\\"":1,"a\\"":2}',
  '{"a":1',
  'claims',
  '',
  nested(33),
  '\uFEFF{}',
])('refuses %j', (text) => {
  expect(parseUnambiguousJson(part(text))).toBeUndefined();
});

it('refuses bytes that are not UTF-8', () => {
  expect(parseUnambiguousJson(part(Buffer.from([0x22, 0xff, 0x22])))).toBeUndefined();
});
