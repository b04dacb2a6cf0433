import { AuditRecordKinds } from './audit-record-kinds.js';

let kinds: AuditRecordKinds;
beforeEach(() => {
  kinds = new AuditRecordKinds();
  kinds.declare({
    session: { references: ['sessionId'], nested: ['sessions'] },
    homework: {},
    audit: { isNamed: false },
  });
});

it.each([
  '/gateway/profile/clinic/session',
  '/gateway/profile/clinic/session/:id/cancel',
  '/gateway/profile/clinic/session/external/:externalId',
  '/gateway/profile/clinic/session/:id/homework/:sessionId',
  '/gateway/admin/audit/export',
  '/session/:id',
])('accepts the route %s', (route) => {
  expect(() => kinds.requireDeclared(route)).not.toThrow();
});

it.each([
  ['/gateway/profile/clinic/holiday', 'the kind "holiday"'],
  ['/gateway/admin/holiday/:id', 'the kind "holiday"'],
  ['/gateway/profile/clinic/session/:id/holiday/:id', 'the kind "holiday"'],
  ['/holiday/:id', 'the kind "holiday"'],
  ['/gateway/profile/clinic/session/:holidayId', 'the reference "holidayId"'],
])('rejects the route %s', (route, missing) => {
  expect(() => kinds.requireDeclared(route)).toThrow(`Route ${route}: no module declares ${missing}`);
});

it.each([
  ['/gateway/profile/clinic/session/:id/homework', 'homework'],
  ['/gateway/profile/clinic/session/:id/cancel', 'session'],
  ['/gateway/profile/clinic/audit', undefined],
  ['/health/live', undefined],
])('finds the record kind in the responses of %s: %s', (route, kind) => {
  expect(kinds.findResponseKind(route)).toBe(kind);
});

it.each([
  ['a kind', { session: {} }],
  ['a reference', { other: { references: ['sessionId'] } }],
  ['a nested field', { other: { nested: ['sessions'] } }],
])('rejects %s that is declared twice', (_, declaration) => {
  expect(() => kinds.declare(declaration)).toThrow('is declared twice');
});
