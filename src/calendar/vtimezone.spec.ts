import ICAL from 'ical.js';
import { formatVtimezone } from './vtimezone.js';

/*
 * Compares the instants that an independent iCalendar parser reads from the VTIMEZONE with the instants from Temporal.
 */

const at = (text: string) => Temporal.Instant.from(text);

/** Returns the instants of local times as the parser computes them. */
function read(block: string, locals: readonly Temporal.PlainDateTime[]): number[] {
  const zone = new ICAL.Timezone(new ICAL.Component(ICAL.parse(block)));
  return locals.map((local) => {
    const time = ICAL.Time.fromDateTimeString(local.toString({ smallestUnit: 'second' }));
    return local.toZonedDateTime('UTC').epochMilliseconds - zone.utcOffset(time) * 1000;
  });
}

it('has the right offsets for every time zone in the period of a feed', () => {
  const first = Temporal.PlainDateTime.from('2026-09-02T12:00');
  const noons = Array.from({ length: 150 }, (_, index) => first.add({ days: index * 3 }));
  const wrong = Intl.supportedValuesOf('timeZone').filter((timeZone) => {
    const block = formatVtimezone(timeZone, at('2026-09-01T00:00Z'), at('2027-12-01T00:00Z'));
    const expected = noons.map((noon) => noon.toZonedDateTime(timeZone).epochMilliseconds);
    return JSON.stringify(read(block, noons)) !== JSON.stringify(expected);
  });
  expect(wrong).toEqual([]);
});

it.each([
  // The first two dates follow rules that have since changed.
  ['America/Los_Angeles', '2005-03-20T12:00'],
  ['Europe/London', '1995-10-15T12:00'],
  ['Africa/Casablanca', '2027-02-01T12:00'],
  ['Europe/Dublin', '2027-01-15T12:00'],
])('has the right offset in %s at %s', (timeZone, local) => {
  const moment = Temporal.PlainDateTime.from(local).toZonedDateTime(timeZone).toInstant();
  const block = formatVtimezone(timeZone, moment, moment.add({ minutes: 50 }));
  expect(read(block, [Temporal.PlainDateTime.from(local)])).toEqual([moment.epochMilliseconds]);
});

it('contains each clock change in the period, and no others', () => {
  const lines = (timeZone: string) =>
    formatVtimezone(timeZone, at('2027-03-01T00:00Z'), at('2027-11-01T00:00Z')).split('\r\n');
  expect(lines('Australia/Lord_Howe')).toEqual([
    'BEGIN:VTIMEZONE',
    'TZID:Australia/Lord_Howe',
    ...['BEGIN:DAYLIGHT', 'DTSTART:20261004T020000', 'TZOFFSETFROM:+1030', 'TZOFFSETTO:+1100', 'END:DAYLIGHT'],
    ...['BEGIN:STANDARD', 'DTSTART:20270404T020000', 'TZOFFSETFROM:+1100', 'TZOFFSETTO:+1030', 'END:STANDARD'],
    ...['BEGIN:DAYLIGHT', 'DTSTART:20271003T020000', 'TZOFFSETFROM:+1030', 'TZOFFSETTO:+1100', 'END:DAYLIGHT'],
    'END:VTIMEZONE',
    '',
  ]);
  expect(lines('Asia/Kathmandu').filter((line) => line.startsWith('TZOFFSETTO'))).toEqual(['TZOFFSETTO:+0545']);
  expect(lines('Etc/UTC').filter((line) => line.startsWith('TZOFFSETTO'))).toEqual(['TZOFFSETTO:+0000']);
});
