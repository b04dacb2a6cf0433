import { Erasure, LegalHold } from '../../src/erasure/index.js';
import type { SubjectKind } from '../../src/shared/erasure/index.js';
import { RECORD_FACTORIES, type RecordFactory } from '../support/contract/tenant.js';
import { createStatusRow, type StatusRows } from '../support/status-row.js';

const FACTORIES = {
  CLIENT: RECORD_FACTORIES.client,
  CARE_PROVIDER: RECORD_FACTORIES.careProvider,
  CLINIC: RECORD_FACTORIES.clinic,
} satisfies Record<SubjectKind, RecordFactory>;

/** A record with an erasure that was requested two hours ago, and can be confirmed. */
const requested =
  (kind: SubjectKind): RecordFactory =>
  async (tenant) => {
    const id = Number((await FACTORIES[kind](tenant)).path['id']);
    const subject = { clinicId: kind === 'CLINIC' ? id : tenant.fixture.clinicId, kind, id };
    const data = { reason: 'SUBJECT_REQUEST', caseReference: null, counts: {} } as const;
    const [delay, validity] = [1, 168].map((hours) => Temporal.Duration.from({ hours }));
    const at = tenant.app.clock.now().subtract({ hours: 2 });
    const erasure = new Erasure(subject, data, { delay: delay!, validity: validity! }, at);
    await tenant.app.asSuperuser((em) => em.persist(erasure).flush());
    return { path: { id, erasureId: erasure.id } };
  };

const held: RecordFactory = async (tenant) => {
  const made = await RECORD_FACTORIES.client(tenant);
  const { app, fixture } = tenant;
  const data = { reason: 'LITIGATION', caseReference: null } as const;
  const hold = new LegalHold(fixture.clinicId, Number(made.path['id']), data, app.clock.now());
  await app.asSuperuser((em) => em.persist(hold).flush());
  return made;
};

const rowsOf = (path: string, kind: SubjectKind, more: { everywhere?: boolean } = {}): StatusRows => ({
  [`POST ${path}/{id}/erasure`]: createStatusRow(FACTORIES[kind], 201, more),
  [`GET ${path}/{id}/erasure`]: createStatusRow(requested(kind), 200, more),
  [`GET ${path}/{id}/erasure/{erasureId}`]: createStatusRow(requested(kind), 200, more),
  [`POST ${path}/{id}/erasure/{erasureId}/confirmation`]: createStatusRow(requested(kind), 200, more),
});

const CLIENT = '/gateway/profile/clinic/client';

export const rows: StatusRows = {
  ...rowsOf(CLIENT, 'CLIENT'),
  ...rowsOf('/gateway/profile/clinic/care-provider', 'CARE_PROVIDER'),
  ...rowsOf('/gateway/admin/clinic', 'CLINIC', { everywhere: true }),
  [`PUT ${CLIENT}/{id}/legal-hold`]: createStatusRow(RECORD_FACTORIES.client, 200),
  [`GET ${CLIENT}/{id}/legal-hold`]: createStatusRow(held, 200),
  [`DELETE ${CLIENT}/{id}/legal-hold`]: createStatusRow(held, 204),
};
