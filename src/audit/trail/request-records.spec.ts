import { AuditRecordKinds } from '../../shared/audit-records/index.js';
import { findRecordNames } from './request-records.js';

const kinds = new AuditRecordKinds();
kinds.declare({
  client: { references: ['clientId', 'clientIds'] },
  session: { references: ['sessionId'] },
  series: { references: ['seriesId'] },
  homework: { references: ['homeworkId'], nested: ['homework'] },
  reminder: {
    conditionalReferences: [{ field: 'recipientId', kind: 'client', where: 'recipientKind', is: 'CLIENT' }],
  },
});

const route = '/gateway/profile/clinic/client/import';

it.each([
  ['unparsed lines', Buffer.from('{"clientId":1}'.repeat(100_000)), []],
  ['a list', [{ clientId: 1 }], []],
  ['no body', undefined, []],
  ['references', { clientId: 7, clientIds: [7, 8], sessionId: 'x', id: 9 }, ['client/7', 'client/8']],
  ['invalid ids', { clientId: 0.5, sessionId: -1, homeworkId: '01', seriesId: null }, []],
])('finds the references of a body: %s', (_what, body, records) => {
  expect(findRecordNames(kinds, { route, params: {}, body })).toEqual(records);
});

it('finds the records of a response, without duplicates', () => {
  const answer = {
    items: [
      { id: 3, clientId: 7, homework: [{ id: 4 }] },
      { id: 5, clientId: 7, homework: [] },
    ],
  };
  expect(findRecordNames(kinds, { route: '/gateway/profile/clinic/session', params: {}, answer })).toEqual([
    ...['session/3', 'client/7', 'homework/4'],
    'session/5',
  ]);
});

it('names a record once that is in the path and in the answer, and long IDs as they are written', () => {
  const params = { id: '12', clientId: '9007199254740993' };
  const answer = { id: 12, clientId: '9007199254740992' };
  expect(findRecordNames(kinds, { route: '/gateway/profile/clinic/session/:id', params, answer })).toEqual([
    ...['session/12', 'client/9007199254740993'],
    'client/9007199254740992',
  ]);
});

it.each([
  ['CLIENT', ['reminder/3', 'client/7']],
  ['CARE_PROVIDER', ['reminder/3']],
])('names the recipient of a reminder if it is a Client: %s', (recipientKind, records) => {
  const answer = { id: 3, recipientKind, recipientId: 7 };
  expect(findRecordNames(kinds, { route: '/gateway/profile/clinic/reminder', params: {}, answer })).toEqual(records);
});

it('names the record of the header Location, or the series in its query', () => {
  const find = (location: string) => findRecordNames(kinds, { route, params: {}, location });
  expect(find('/gateway/profile/clinic/client/5')).toEqual(['client/5']);
  const id = '019abcde-0000-7000-8000-00000000dead';
  expect(find(`/gateway/profile/caregiver/session?seriesId=${id}`)).toEqual([`series/${id}`]);
});
