import { clientImportSchema } from '../dto/import-model.js';
import { ImportLineParser, MAX_LINE_BYTES } from './import-line-parser.js';

const parse = (text: string) => new ImportLineParser(clientImportSchema).parse({ number: 7, bytes: Buffer.from(text) });

/** Writes each UTF-16 code unit as an escape sequence of six bytes, which is the longest form of a text. */
const escape = (text: string) =>
  `"${Array.from({ length: text.length }, (_, index) => `\\u${text.charCodeAt(index).toString(16).padStart(4, '0')}`).join('')}"`;

it('accepts the largest valid line, and refuses a line that is larger than the maximum', () => {
  const externalId = (index: number) => escape(`${'😀'.repeat(199)}${String.fromCodePoint(0x1f600 + index)}`);
  const email = `${'a'.repeat(59)}@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.example.org`;
  const fields = {
    externalId: externalId(0),
    name: escape('😀'.repeat(200)),
    email: escape(email),
    timeZone: escape('America/Argentina/ComodRivadavia'),
    locale: escape('en-GB'),
    active: 'false',
    careProviderExternalIds: `[${Array.from({ length: 50 }, (_, index) => externalId(index)).join(',')}]`,
  };
  const line = `{${Object.entries(fields)
    .map(([name, value]) => `${escape(name)}:${value}`)
    .join(',')}}`;
  expect(parse(line)).toMatchObject({ line: 7, data: { email, active: false } });
  // The longest time zone and language tag would add 372 bytes.
  expect([line.length > 126_000, line.length < MAX_LINE_BYTES - 1_000]).toEqual([true, true]);
  expect(parse(line.padEnd(MAX_LINE_BYTES))).toHaveProperty('data');
  expect(parse(line.padEnd(MAX_LINE_BYTES + 1))).toEqual({
    line: 7,
    status: 'refused',
    errors: [{ pointer: '', detail: 'must be at most 131072 bytes long' }],
  });
});
