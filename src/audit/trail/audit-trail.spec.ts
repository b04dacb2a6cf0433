import { fastify } from 'fastify';
import { AuditRecordKinds } from '../../shared/audit-records/index.js';
import { AuditTrail } from './audit-trail.js';

const kinds = new AuditRecordKinds();
kinds.declare({ session: {} });

it('prevents the start if no module declares the record kind of a route', () => {
  const server = fastify();
  const [em, denials, clock] = [{}, {}, {}] as never[];
  new AuditTrail(em!, denials!, clock!, kinds).registerHooks(server);
  const add = (url: string, access: 'CLINIC' | 'PUBLIC') => server.get(url, { config: { access } }, () => null);
  add('/gateway/profile/clinic/session/:id', 'CLINIC');
  add('/health/live', 'PUBLIC');
  expect(() => add('/gateway/profile/clinic/holiday/:id', 'CLINIC')).toThrow('no module declares the kind "holiday"');
});
