import { recordsOf } from './records.js';

const route = '/gateway/profile/clinic/client/import';

it.each([
  ['lines that are still bytes', Buffer.from('{"clientId":1}'.repeat(100_000)), []],
  ['a list', [{ clientId: 1 }], []],
  ['nothing', undefined, []],
  ['references', { clientId: 7, clientIds: [7, 8], sessionId: 'x', id: 9 }, ['client/7', 'client/8']],
  ['ids that are none', { clientId: 0.5, sessionId: -1, homeworkId: '01', seriesId: null }, []],
])('of a body that is %s it names what that refers to', (_what, body, records) => {
  expect(recordsOf({ route, params: {}, body })).toEqual(records);
});

it('names what is answered, once each, with what it is about', () => {
  const answer = {
    items: [
      { id: 3, clientId: 7, homework: [{ id: 4 }] },
      { id: 5, clientId: 7, homework: [] },
    ],
  };
  expect(recordsOf({ route: '/gateway/profile/clinic/session', params: {}, answer })).toEqual([
    ...['session/3', 'client/7', 'homework/4'],
    'session/5',
  ]);
});
