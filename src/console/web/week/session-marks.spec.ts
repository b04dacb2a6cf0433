import { findCareProviderColour, isMovable, toInitials } from './session-marks.js';

it.each([
  ['Care Provider 2', 'C2'],
  ['Ana María López', 'AL'],
  ['Ólafur', 'ÓL'],
  ['  ', ''],
  ['👩‍⚕️ Ng', '👩‍⚕️N'],
])('%p has the initials %p', (name, initials) => {
  expect(toInitials(name)).toBe(initials);
});

it('gives each Care Provider a colour that stays, and colours again after eight', () => {
  const ids = [3, 5, 7, 11, 13, 17, 19, 23, 29];
  expect(ids.map((id) => findCareProviderColour(ids, id))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 1]);
  expect(findCareProviderColour(ids, 4)).toBe(1);
});

it('moves what has not ended', () => {
  expect(
    (['SCHEDULED', 'PAUSED', 'COMPLETED', 'NO_SHOW', 'CANCELLED'] as const).filter((status) => isMovable({ status })),
  ).toEqual(['SCHEDULED', 'PAUSED']);
});
