import { createHash, randomBytes } from 'node:crypto';
import { CalendarLink } from '../../../src/calendar/index.js';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Book, CareProvider, Client, ClientAssignment, Clinic } from '../../../src/directory/index.js';
import { Reminder, ReminderPreference } from '../../../src/reminder/index.js';
import { Homework } from '../../../src/session/index.js';
import { assignment, createPlan } from '../app/series-fixtures.js';
import type { Answer, ClinicFixture, TestApp } from '../app/test-app.js';

/** Ids and other values, under the names by which paths and bodies carry them. */
export type Ids = Readonly<Record<string, string | number>>;
/** What an operation is called on: values for its path, and for a body that speaks of it. */
export type Made = { path: Ids; body?: Ids };
export type Make = (tenant: Tenant) => Promise<Made>;

const CAREGIVER = '/gateway/profile/caregiver';
let count = 0;

/** A Clinic in which everything exists, with words by which it is known when they turn up elsewhere. */
export class Tenant {
  /** In all that belongs to the Clinic. */
  readonly marker: string;
  /** In what only the first Care Provider and the first Client may see, beside the Clinic. */
  readonly secret: string;
  /** Own records, by the names of the fields and parameters that refer to them. */
  ids: Ids = {};
  /** Records of the same Clinic that cannot be used in these fields, as they are not the caller's, or of something else. */
  others: Ids = {};

  private constructor(
    readonly world: TestApp,
    readonly fixture: ClinicFixture,
  ) {
    this.marker = `canary-${fixture.clinicId}-`;
    this.secret = `${this.marker}secret`;
  }

  static async start(world: TestApp): Promise<Tenant> {
    const tenant = new Tenant(world, await world.clinic());
    const { marker: name, fixture } = tenant;
    const { clinicId, careProviderIds, clientIds, ownBookId: bookId } = fixture;
    const [caregiverId, toCareProviderId] = careProviderIds;
    const careProviderExternalIds = `${name}employee`;
    await world.database(async (em) => {
      await em.nativeUpdate(Clinic, { id: clinicId }, { name });
      for (const kind of [CareProvider, Client]) await em.nativeUpdate(kind, { clinicId }, { name });
      await em.nativeUpdate(CareProvider, { id: caregiverId }, { externalId: careProviderExternalIds });
      await em.nativeUpdate(Book, { clinicId }, { title: name });
    });
    const [series, session] = [await MAKE.series(tenant), await MAKE.session(tenant)];
    const { seriesId, designPlanId } = { ...series.path, ...series.body } as Record<string, string | number>;
    tenant.ids = {
      ...{
        clinicId,
        bookId,
        bookIdList: bookId,
        careProviderExternalIds,
        seriesId: seriesId!,
        designPlanId: designPlanId!,
      },
      ...{
        caregiverId,
        CareProviderId: caregiverId,
        toCareProviderId,
        clientId: clientIds[0],
        clientIds: clientIds[0],
      },
      // By which reminders are listed.
      ...{ recipientId: clientIds[0], sessionId: session.path['id']! },
      // By which the audit trail is.
      ...{ actor: `care-provider/${caregiverId}`, record: `client/${clientIds[0]}` },
    };
    const { id } = session.path;
    tenant.others = { clientId: clientIds[2], clientIds: clientIds[0], fromSessionId: id!, sessionId: id! };
    return tenant;
  }

  /** A call of the first Care Provider that must succeed. */
  async caregiver(path: string, body?: object): Promise<Answer> {
    const token = this.fixture.careProviderToken;
    const answer = await this.world.call('POST', `${CAREGIVER}/${path}`, { token, body });
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer;
  }
}

/** Each makes something new in a Clinic, of its first Care Provider and its first Client. */
export const MAKE = {
  clinic: ({ world, marker }) =>
    stored(
      world,
      (externalId) => new Clinic({ name: marker, timeZone: 'Europe/London', externalId }, world.clock.now()),
    ),
  careProvider: ({ world, marker: name, fixture: { clinicId } }) =>
    stored(world, (externalId) => new CareProvider(clinicId, { name, externalId }, world.clock.now())),
  client: ({ world, marker: name, fixture: { clinicId } }) =>
    stored(world, (externalId) => new Client(clinicId, { name, externalId }, world.clock.now())),
  book: ({ world, marker: title, fixture: { clinicId } }) =>
    stored(world, (externalId) => new Book(clinicId, { title, externalId }, world.clock.now())),
  catalogueBook: ({ world }) =>
    stored(world, (externalId) => new Book(null, { title: 'Shared', externalId }, world.clock.now())),
  /** A Client and a Care Provider who are not assigned to each other. */
  pair: async (tenant): Promise<Made> => ({
    path: { id: idIn(await MAKE.client(tenant)), careProviderId: idIn(await MAKE.careProvider(tenant)) },
  }),
  assignedPair: async (tenant): Promise<Made> => {
    const { path } = await MAKE.pair(tenant);
    const [id, careProviderId] = [Number(path['id']), Number(path['careProviderId'])];
    const { world, fixture } = tenant;
    const row = new ClientAssignment(fixture.clinicId, id, careProviderId, world.clock.now());
    await world.database((em) => em.persist(row).flush());
    return { path: { id, careProviderId } };
  },
  /** A Care Provider who has a Client to hand over. */
  busyCareProvider: async (tenant): Promise<Made> => {
    const { id: clientIds, careProviderId: id } = (await MAKE.assignedPair(tenant)).path;
    return { path: { id: id! }, body: { clientIds: clientIds! } };
  },
  /** With two revisions. */
  plan: async ({ world, marker, fixture }) => {
    const { ownBookId, careProviderIds, clinicToken: token } = fixture;
    const weeks = [{ assignments: [assignment(ownBookId, [1, '09:00'])] }, {}];
    const plan = { planName: marker, appointmentTitle: marker, caregiverId: careProviderIds[0], weeks };
    const id = await createPlan(world, fixture, plan);
    const path = `/gateway/profile/clinic/design-plan/${id}`;
    const body = { ...plan, weeks: [...weeks, {}] };
    await world.call('PUT', path, { token, body, headers: { 'if-match': '"1"' } });
    return { path: { id, revision: 1, from: 1, to: 2 } };
  },
  archivedPlan: async (tenant): Promise<Made> => {
    const made = await MAKE.plan(tenant);
    const { world, fixture } = tenant;
    const path = `/gateway/profile/clinic/design-plan/${idIn(made)}`;
    await world.call('DELETE', path, { token: fixture.clinicToken });
    return made;
  },
  session: (tenant) => sessionOn(tenant, Temporal.PlainDate.from('2027-03-01').add({ days: (count += 1) })),
  startedSession: (tenant) => sessionOn(tenant, Temporal.PlainDate.from('2026-11-20').subtract({ days: (count += 1) })),
  completedSession: async (tenant): Promise<Made> => {
    const made = await MAKE.startedSession(tenant);
    await tenant.caregiver(`session/${idIn(made)}/complete`);
    return made;
  },
  /** Of a plan that has a newer revision. */
  series: async (tenant) => {
    const { world, marker, fixture } = tenant;
    const designPlanId = await createPlan(world, fixture, {
      planName: marker,
      appointmentTitle: marker,
      weeks: [{}, {}],
    });
    const applied = await tenant.caregiver(`design-plan/${designPlanId}/apply`, {
      ...{ clientId: fixture.clientIds[0], date: '2027/03/22', time: '14:30' },
    });
    const path = `/gateway/profile/clinic/design-plan/${designPlanId}`;
    const body = { planName: marker, weeks: [{}, {}, {}] };
    await world.call('PUT', path, { token: fixture.clinicToken, body, headers: { 'if-match': '"1"' } });
    const { seriesId, sessions } = applied.body as { seriesId: string; sessions: [{ id: number }] };
    const [{ id }] = sessions;
    return { path: { seriesId }, body: { fromSessionId: id, sessionId: id, designPlanId } };
  },
  pausedSeries: async (tenant): Promise<Made> => {
    const made = await MAKE.series(tenant);
    await tenant.caregiver(`series/${made.path['seriesId']}/pause`);
    return made;
  },
  homework: async (tenant): Promise<Made> => {
    const sessionId = idIn(await MAKE.session(tenant));
    const homework = await tenant.world.database((em) => em.findOneOrFail(Homework, { sessionId }));
    return { path: { id: homework.id } };
  },
  doneHomework: async (tenant): Promise<Made> => {
    const made = await MAKE.homework(tenant);
    const { world, fixture } = tenant;
    const token = await world.token('CLIENT', fixture.clientIds[0]);
    await world.call('POST', `/gateway/profile/client/homework/${idIn(made)}/complete`, { token });
    return made;
  },
  careProviderLink: (tenant) => linkOf(tenant, 'CARE_PROVIDER', tenant.fixture.careProviderIds[0]),
  clientLink: (tenant) => linkOf(tenant, 'CLIENT', tenant.fixture.clientIds[0]),
  reminder: async (tenant) => {
    const sessionId = idIn(await MAKE.session(tenant));
    const [reminder] = await tenant.world.database((em) => em.find(Reminder, { sessionId }));
    return { path: { id: reminder!.id } };
  },
  /** And every other of every Clinic, so that whoever calls has some. */
  deadReminder: async (tenant): Promise<Made> => {
    const made = await MAKE.reminder(tenant);
    await tenant.world.database((em) => em.nativeUpdate(Reminder, {}, { status: 'DEAD' }));
    return made;
  },
  /** Of somebody new. */
  optOutLink: async (tenant): Promise<Made> => {
    const { world, fixture } = tenant;
    const owner = { kind: 'CLIENT' as const, id: idIn(await MAKE.client(tenant)) };
    const preference = new ReminderPreference(fixture.clinicId, owner, world.clock.now());
    await world.database((em) => em.persist(preference).flush());
    return { path: { kind: 'session', secret: preference.optOutToken } };
  },
} satisfies Record<string, Make>;

/** Beside the service, which gives nobody more than ten. */
async function linkOf({ world, fixture }: Tenant, kind: 'CLIENT' | 'CARE_PROVIDER', id: number): Promise<Made> {
  const secret = randomBytes(32).toString('base64url');
  const secretHash = createHash('sha256').update(secret).digest('hex');
  const { clinicId } = fixture;
  const owner = kind === 'CLIENT' ? { clinicId, clientId: id } : { clinicId, caregiverId: id };
  const link = new CalendarLink(owner, { titles: 'DISCREET', secretHash }, world.clock.now());
  await world.database((em) => em.persist(link).flush());
  return { path: { id: link.id, secret } };
}

const idIn = ({ path }: Made) => Number(path['id']);

/** Nobody else has this external id. */
export const freshExternalId = () => `ext-${(count += 1)}`;

async function stored(
  world: TestApp,
  create: (externalId: string) => Clinic | CareProvider | Client | Book,
): Promise<Made> {
  const externalId = freshExternalId();
  const row = create(externalId);
  await world.database((em) => em.persist<object>(row).flush());
  return { path: { id: row.id, externalId } };
}

async function sessionOn(tenant: Tenant, date: Temporal.PlainDate): Promise<Made> {
  const { clientIds, ownBookId } = tenant.fixture;
  const answer = await tenant.caregiver('session', {
    ...{ clientId: clientIds[0], title: tenant.secret, bookIdList: [ownBookId], reminders: ['-P1D'] },
    ...{ date: date.toString().replaceAll('-', '/'), time: '09:30' },
  });
  const { message } = answer.body as { message: string };
  return { path: { id: Number(/: (\d+)\./.exec(message)![1]) } };
}

/**
 * A digest of the rows of every table and Clinic, by `table clinicId`; 0 is what belongs to no Clinic. Not of the audit
 * trail, as a refusal adds to it, nor of the heartbeats of instances, which come by the clock.
 */
export async function digestOf(world: TestApp): Promise<Record<string, string>> {
  return world.database(async (em) => {
    const run = (statement: string) => (em as SqlEntityManager).execute<Record<string, string>[]>(statement);
    let statement = digests.get(world);
    if (statement === undefined) digests.set(world, (statement = digestStatement(await run(TABLES))));
    const rows = await run(statement);
    return Object.fromEntries(rows.map(({ name, clinic, digest }) => [`${name!} ${clinic!}`, digest!]));
  });
}

/** The statement of each World: looking up its tables takes longer than reading them. */
const digests = new WeakMap<TestApp, string>();

const TABLES = `select table_name as name, bool_or(column_name = 'clinic_id') as has_clinic
  from information_schema.columns where table_schema = 'public' and table_name not like 'audit%' and table_name <> 'instance'
  group by table_name`;

function digestStatement(tables: Record<string, string>[]): string {
  return tables
    .map(({ name, has_clinic }) => {
      const clinic = name === 'clinic' ? 'r.id' : has_clinic ? 'coalesce(r.clinic_id, 0)' : '0';
      return `select '${name!}' as name, ${clinic} as clinic, sum(hashtextextended(r::text, 0))::text as digest
        from ${name!} r group by 2`;
    })
    .join(' union all ');
}
