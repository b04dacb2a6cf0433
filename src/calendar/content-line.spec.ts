import fc from 'fast-check';
import ical from 'ical-generator';
import { foldContentLines } from './content-line.js';

it('folds like the library', () => {
  const text = fc.string({ unit: 'binary', maxLength: 400 });
  fc.assert(
    fc.property(text, text, (summary, description) => {
      const calendar = ical({ prodId: { company: 'A', product: 'B' } });
      const event = calendar.createEvent({ id: '1', start: '2027-03-01T09:30:00Z', summary, description });
      expect(calendar.toString()).toContain(`\r\n${foldContentLines(event.toString())}END:VCALENDAR`);
    }),
  );
});

it.each([
  ['a'.repeat(74), 1],
  ['a'.repeat(75), 2],
  [`${'a'.repeat(73)}é`, 2],
  ['😀'.repeat(19), 2],
  [`a\r\n${'b'.repeat(75)}\r\nc`, 4],
  ['', 1],
])('%j has %i lines', (text, lines) => {
  const folded = foldContentLines(text);
  expect(folded.split('\r\n')).toHaveLength(lines);
  expect(folded.replaceAll('\r\n ', '')).toBe(text);
});
