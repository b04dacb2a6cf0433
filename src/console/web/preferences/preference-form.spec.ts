import type { ReminderPreference } from '@care-scheduling/client';
import { keepStoredValues, toPreferenceBody, toPreferenceFormValues, toQuietSharesOfDay } from './preference-form.js';

const preference = (change: Partial<ReminderPreference> = {}): ReminderPreference => ({
  ...{ channels: null, quietHours: null, noQuietHours: false, optedOut: [], revealing: false, updatedAt: null },
  effective: { channels: ['LOG'], quietHours: null, timeZone: 'Europe/London' },
  ...change,
});
const night = { from: '22:00', to: '07:30' };

it('follows the Clinic where a person has chosen nothing', () => {
  const given = preference({ effective: { channels: ['LOG'], quietHours: night, timeZone: 'UTC' } });
  expect(toPreferenceFormValues(given, false)).toMatchObject({ mode: 'default', ...night });
  expect(toPreferenceBody(toPreferenceFormValues(given, false), given, false)).toEqual({
    ...{ channels: null, quietHours: null, noQuietHours: false, optedOut: [] },
  });
});

it.each([
  [preference({ quietHours: night }), false, 'own'],
  [preference({ noQuietHours: true }), false, 'none'],
  [preference(), true, 'none'],
  [preference({ quietHours: night }), true, 'own'],
] as const)('keeps what was chosen: %#', (given, isClinic, mode) => {
  const form = toPreferenceFormValues(given, isClinic);
  expect(form.mode).toBe(mode);
  const { quietHours, noQuietHours } = toPreferenceBody(form, given, isClinic);
  expect({ quietHours, noQuietHours }).toEqual({ quietHours: given.quietHours, noQuietHours: given.noQuietHours });
});

it('sends what the role can choose, and keeps the channels', () => {
  const given = preference({ channels: ['EMAIL'], optedOut: ['HOMEWORK'], revealing: true });
  expect(toPreferenceBody(toPreferenceFormValues(given, true), given, true)).toMatchObject({
    channels: ['EMAIL'],
    revealing: true,
  });
  expect(toPreferenceBody(toPreferenceFormValues(given, true), given, true)).not.toHaveProperty('optedOut');
  expect(toPreferenceBody(toPreferenceFormValues(given, false), given, false)).not.toHaveProperty('revealing');
});

it.each([
  [{}, { optedOut: ['SESSION'] }, { optedOut: ['SESSION'] }],
  [{ optedOut: ['HOMEWORK'] }, { optedOut: ['SESSION'] }, { optedOut: ['SESSION', 'HOMEWORK'] }],
  [{ optedOut: ['SESSION'] }, {}, { optedOut: ['SESSION'] }],
  [{ mode: 'none' }, { from: '20:00', revealing: true }, { mode: 'none', revealing: true }],
  [{ revealing: true }, { from: '20:00' }, { from: '20:00', revealing: true }],
] as const)(
  'keeps what was stored since the form was filled, unless it is changed there: %j, %j',
  (changed, since, expected) => {
    const seen = toPreferenceFormValues(preference({ quietHours: night }), false);
    const merge = (change: object) => ({ ...seen, ...change });
    expect(keepStoredValues(merge(changed), seen, merge(since))).toEqual(merge(expected));
  },
);

it('draws hours over midnight as two parts', () => {
  expect(toQuietSharesOfDay({ from: '18:00', to: '06:00' })).toEqual([
    { start: 0, end: 0.25 },
    { start: 0.75, end: 1 },
  ]);
  expect(toQuietSharesOfDay({ from: '18:00', to: '00:00' })).toEqual([{ start: 0.75, end: 1 }]);
  expect(toQuietSharesOfDay({ from: '06:00', to: '12:00' })).toEqual([{ start: 0.25, end: 0.5 }]);
  expect(toQuietSharesOfDay({ from: '', to: '12:00' })).toEqual([]);
  expect(toQuietSharesOfDay({ from: '12:00', to: '12:00' })).toEqual([]);
});
