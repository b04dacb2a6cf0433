import { chooseMediaType } from './media-type.js';

const [JSON_TYPE, NDJSON, HTML] = ['application/json', 'application/x-ndjson', 'text/html'] as const;

it.each([
  [undefined, JSON_TYPE],
  ['', JSON_TYPE],
  ['*/*', JSON_TYPE],
  ['application/*', JSON_TYPE],
  ['text/*', HTML],
  [NDJSON, NDJSON],
  ['Text/HTML', HTML],
  ['text/html; charset=utf-8', HTML],
  ['application/json, application/problem+json, */*', JSON_TYPE],
  // This is the header that browsers send.
  ['text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8', HTML],
  ['application/json;q=0.5, application/x-ndjson', NDJSON],
  ['application/json;q=0, */*', NDJSON],
  ['text/html;q=0.2, application/x-ndjson;q=0.20', NDJSON],
  ['text/html;level=1;q=1.000', HTML],
  // In these cases, no offered type is accepted or the header is malformed.
  ['image/png', JSON_TYPE],
  ['text/html;q=2', JSON_TYPE],
  ['text/html;q=0', JSON_TYPE],
  [',;=,', JSON_TYPE],
  [`${'x/y,'.repeat(10_000)}text/html`, JSON_TYPE],
])('Accept: %s', (accept, expected) => {
  expect(chooseMediaType(accept, [JSON_TYPE, NDJSON, HTML])).toBe(expected);
});
