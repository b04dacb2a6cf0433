import fc from 'fast-check';
import { parsePrefer } from './prefer.js';

const parsed = (header: string) => Object.fromEntries(parsePrefer(header));

it.each<[string, Record<string, string>]>([
  ['', {}],
  ['return=minimal', { return: 'minimal' }],
  ['Return = Minimal', { return: 'Minimal' }],
  ['respond-async, wait=100', { 'respond-async': '', wait: '100' }],
  ['handling=strict,return=representation', { handling: 'strict', return: 'representation' }],
  ['return="minimal"', { return: 'minimal' }],
  ['foo="a, b; c", return=minimal', { foo: 'a, b; c', return: 'minimal' }],
  ['foo="say \\"hi\\"\\\\"', { foo: 'say "hi"\\' }],
  ['foo=""', { foo: '' }],
  // Parameters of a preference are ignored.
  ['foo; bar', { foo: '' }],
  ['foo=1; return="minimal, x"; handling=strict, wait=2', { foo: '1', wait: '2' }],
  ['foo;;, wait=2', { foo: '', wait: '2' }],
  // If a preference is repeated, the first one counts (RFC 7240, section 2). Names are case-insensitive.
  ['return=minimal, RETURN=representation', { return: 'minimal' }],
  ['return=other, return=minimal', { return: 'other' }],
  // Malformed preferences are ignored, but the others in the header are used.
  ['return minimal, wait=1', { wait: '1' }],
  ['return=, wait=1', { wait: '1' }],
  ['=minimal, wait=1', { wait: '1' }],
  [',, ,wait=1,', { wait: '1' }],
  ['foo="open, return=minimal', {}],
  ['wait=1, foo="open\\', { wait: '1' }],
])('%j', (header, expected) => {
  expect(parsed(header)).toEqual(expected);
});

it('parses every generated preference, with any parameters and in any order', () => {
  const token = fc.stringMatching(/^[!#$%&'*+.^_`|~\w-]{1,12}$/);
  const quoted = fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)) });
  const value = fc.oneof(
    token.map((text) => ({ text, written: text })),
    quoted.map((text) => ({ text, written: `"${text.replaceAll(/["\\]/g, '\\$&')}"` })),
  );
  const parameters = fc.array(fc.tuple(token, value).map(([name, { written }]) => `; ${name}=${written}`));
  const preference = fc.record({ name: token, value, parameters });
  fc.assert(
    fc.property(
      fc.uniqueArray(preference, { selector: ({ name }) => name.toLowerCase(), maxLength: 5 }),
      (preferences) => {
        const header = preferences
          .map((one) => `${one.name}=${one.value.written}${one.parameters.join('')}`)
          .join(', ');
        const expected = preferences.map(({ name, value: { text } }) => [name.toLowerCase(), text] as const);
        expect([...parsePrefer(header)]).toEqual(expected);
      },
    ),
  );
});

it('needs time proportional to the length of the header, whatever it contains', () => {
  const start = performance.now();
  for (const part of [';  ', '"\\', ' ,', '=', 'a ', '";', '" ; '])
    expect(parsePrefer(`a${part.repeat(8_000)}(`).size).toBeLessThan(3);
  expect(performance.now() - start).toBeLessThan(1_000);
});
