import { createHash, randomBytes } from 'node:crypto';
import { CalendarLink } from '../../../src/calendar/index.js';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Book, CareProvider, Client, ClientAssignment, Clinic } from '../../../src/directory/index.js';
import { OptOutLink, Reminder } from '../../../src/reminder/index.js';
import { Homework } from '../../../src/session/index.js';
import { buildAssignment, createPlan } from '../app/series-fixtures.js';
import type { TestResponse, ClinicFixture, TestApp } from '../app/test-app.js';

/** IDs and other values, keyed by the names of path parameters and body fields. */
export type ParameterValues = Readonly<Record<string, string | number>>;
/** A created record: the values for the path and the body of an operation on it. */
export type CreatedRecord = { path: ParameterValues; body?: ParameterValues };
export type RecordFactory = (tenant: TestTenant) => Promise<CreatedRecord>;

const CAREGIVER = '/gateway/profile/caregiver';
let count = 0;

/**
 * A Clinic with records of every kind. Their texts contain a marker, by which tests recognise them in responses to
 * other Clinics.
 */
export class TestTenant {
  /** Text that all records of the Clinic contain. */
  readonly marker: string;
  /** Text in records that only the Clinic, its first Care Provider and its first Client may see. */
  readonly privateMarker: string;
  /** IDs of the caller's records, keyed by the names of fields and parameters. */
  ids: ParameterValues = {};
  /**
   * IDs of records of the same Clinic that these fields must refuse, because they belong to another Care Provider or
   * are of another kind.
   */
  unusableIds: ParameterValues = {};

  private constructor(
    readonly app: TestApp,
    readonly fixture: ClinicFixture,
  ) {
    this.marker = `canary-${fixture.clinicId}-`;
    this.privateMarker = `${this.marker}secret`;
  }

  static async create(app: TestApp): Promise<TestTenant> {
    const tenant = new TestTenant(app, await app.createClinic());
    const { marker: name, fixture } = tenant;
    const { clinicId, careProviderIds, clientIds, ownBookId: bookId } = fixture;
    const [caregiverId, toCareProviderId] = careProviderIds;
    const careProviderExternalIds = `${name}employee`;
    await app.asSuperuser(async (em) => {
      await em.nativeUpdate(Clinic, { id: clinicId }, { name });
      for (const kind of [CareProvider, Client]) await em.nativeUpdate(kind, { clinicId }, { name });
      await em.nativeUpdate(CareProvider, { id: caregiverId }, { externalId: careProviderExternalIds });
      await em.nativeUpdate(Book, { clinicId }, { title: name });
    });
    const [series, session] = [await RECORD_FACTORIES.series(tenant), await RECORD_FACTORIES.session(tenant)];
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
      // Values for the filters of the list of reminders.
      ...{ recipientId: clientIds[0], sessionId: session.path['id']! },
      // Values for the filters of the audit trail.
      ...{ actor: `care-provider/${caregiverId}`, record: `client/${clientIds[0]}` },
    };
    const { id } = session.path;
    tenant.unusableIds = { clientId: clientIds[2], clientIds: clientIds[0], fromSessionId: id!, sessionId: id! };
    return tenant;
  }

  /**
   * Calls an operation as the first Care Provider.
   *
   * @throws Error if the call fails
   */
  async callAsCareProvider(path: string, body?: object): Promise<TestResponse> {
    const token = this.fixture.careProviderToken;
    const answer = await this.app.call('POST', `${CAREGIVER}/${path}`, { token, body });
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer;
  }
}

/** Functions that each create a new record. By default, it belongs to the first Care Provider and the first Client. */
export const RECORD_FACTORIES = {
  clinic: ({ app, marker }) =>
    insertRecord(
      app,
      (externalId) => new Clinic({ name: marker, timeZone: 'Europe/London', externalId }, app.clock.now()),
    ),
  careProvider: ({ app, marker: name, fixture: { clinicId } }) =>
    insertRecord(app, (externalId) => new CareProvider(clinicId, { name, externalId }, app.clock.now())),
  client: ({ app, marker: name, fixture: { clinicId } }) =>
    insertRecord(app, (externalId) => new Client(clinicId, { name, externalId }, app.clock.now())),
  book: ({ app, marker: title, fixture: { clinicId } }) =>
    insertRecord(app, (externalId) => new Book(clinicId, { title, externalId }, app.clock.now())),
  catalogueBook: ({ app }) =>
    insertRecord(app, (externalId) => new Book(null, { title: 'Shared', externalId }, app.clock.now())),
  /** Creates a Client and a Care Provider without assigning them to each other. */
  pair: async (tenant): Promise<CreatedRecord> => ({
    path: {
      id: idOf(await RECORD_FACTORIES.client(tenant)),
      careProviderId: idOf(await RECORD_FACTORIES.careProvider(tenant)),
    },
  }),
  /** Creates a Client who is assigned to the first Care Provider. */
  assignedClient: async (tenant): Promise<CreatedRecord> => {
    const made = await RECORD_FACTORIES.client(tenant);
    const { app, fixture } = tenant;
    const row = new ClientAssignment(fixture.clinicId, idOf(made), fixture.careProviderIds[0], app.clock.now());
    await app.asSuperuser((em) => em.persist(row).flush());
    return made;
  },
  assignedPair: async (tenant): Promise<CreatedRecord> => {
    const { path } = await RECORD_FACTORIES.pair(tenant);
    const [id, careProviderId] = [Number(path['id']), Number(path['careProviderId'])];
    const { app, fixture } = tenant;
    const row = new ClientAssignment(fixture.clinicId, id, careProviderId, app.clock.now());
    await app.asSuperuser((em) => em.persist(row).flush());
    return { path: { id, careProviderId } };
  },
  /** Creates a Care Provider, a Client who can be reassigned, and a Session of both. */
  busyCareProvider: async (tenant): Promise<CreatedRecord> => {
    const { id: clientId, careProviderId: id } = (await RECORD_FACTORIES.assignedPair(tenant)).path;
    const { app, marker: title, fixture } = tenant;
    const body = { clientId, caregiverId: id, title, date: '2027/03/01', time: '20:00' };
    const { status, text } = await app.call('POST', '/gateway/profile/clinic/session', {
      token: fixture.clinicToken,
      body,
    });
    if (status !== 201) throw new Error(text);
    return { path: { id: id! }, body: { clientIds: clientId! } };
  },
  /** Creates a plan with two revisions. */
  plan: async ({ app, marker, fixture }) => {
    const { ownBookId, careProviderIds, clinicToken: token } = fixture;
    const weeks = [{ assignments: [buildAssignment(ownBookId, [1, '09:00'])] }, {}];
    const plan = { planName: marker, appointmentTitle: marker, caregiverId: careProviderIds[0], weeks };
    const id = await createPlan(app, fixture, plan);
    const path = `/gateway/profile/clinic/design-plan/${id}`;
    const body = { ...plan, weeks: [...weeks, {}] };
    await app.call('PUT', path, { token, body, headers: { 'if-match': '"1"' } });
    return { path: { id, revision: 1, from: 1, to: 2 } };
  },
  archivedPlan: async (tenant): Promise<CreatedRecord> => {
    const made = await RECORD_FACTORIES.plan(tenant);
    const { app, fixture } = tenant;
    const path = `/gateway/profile/clinic/design-plan/${idOf(made)}`;
    await app.call('DELETE', path, { token: fixture.clinicToken });
    return made;
  },
  session: (tenant) => createSessionOn(tenant, Temporal.PlainDate.from('2027-03-01').add({ days: (count += 1) })),
  startedSession: (tenant) =>
    createSessionOn(tenant, Temporal.PlainDate.from('2026-11-20').subtract({ days: (count += 1) })),
  completedSession: async (tenant): Promise<CreatedRecord> => {
    const made = await RECORD_FACTORIES.startedSession(tenant);
    await tenant.callAsCareProvider(`session/${idOf(made)}/complete`);
    return made;
  },
  /** Creates a series whose plan has a newer revision. */
  series: async (tenant) => {
    const { app, marker, fixture } = tenant;
    const designPlanId = await createPlan(app, fixture, {
      planName: marker,
      appointmentTitle: marker,
      weeks: [{}, {}],
    });
    const applied = await tenant.callAsCareProvider(`design-plan/${designPlanId}/apply`, {
      ...{ clientId: fixture.clientIds[0], date: '2027/03/22', time: '14:30' },
    });
    const path = `/gateway/profile/clinic/design-plan/${designPlanId}`;
    const body = { planName: marker, weeks: [{}, {}, {}] };
    await app.call('PUT', path, { token: fixture.clinicToken, body, headers: { 'if-match': '"1"' } });
    const { seriesId, sessions } = applied.body as { seriesId: string; sessions: [{ id: number }] };
    const [{ id }] = sessions;
    return { path: { seriesId }, body: { fromSessionId: id, sessionId: id, designPlanId } };
  },
  pausedSeries: async (tenant): Promise<CreatedRecord> => {
    const made = await RECORD_FACTORIES.series(tenant);
    await tenant.callAsCareProvider(`series/${made.path['seriesId']}/pause`);
    return made;
  },
  homework: async (tenant): Promise<CreatedRecord> => {
    const sessionId = idOf(await RECORD_FACTORIES.session(tenant));
    const homework = await tenant.app.asSuperuser((em) => em.findOneOrFail(Homework, { sessionId }));
    return { path: { id: homework.id } };
  },
  doneHomework: async (tenant): Promise<CreatedRecord> => {
    const made = await RECORD_FACTORIES.homework(tenant);
    const { app, fixture } = tenant;
    const token = await app.createToken('CLIENT', fixture.clientIds[0]);
    await app.call('POST', `/gateway/profile/client/homework/${idOf(made)}/complete`, { token });
    return made;
  },
  careProviderLink: (tenant) => createCalendarLink(tenant, 'CARE_PROVIDER', tenant.fixture.careProviderIds[0]),
  clientLink: (tenant) => createCalendarLink(tenant, 'CLIENT', tenant.fixture.clientIds[0]),
  reminder: async (tenant) => {
    const sessionId = idOf(await RECORD_FACTORIES.session(tenant));
    const [reminder] = await tenant.app.asSuperuser((em) => em.find(Reminder, { sessionId }));
    return { path: { id: reminder!.id } };
  },
  /** Sets all reminders of all Clinics to DEAD, so that every caller has some. */
  deadReminder: async (tenant): Promise<CreatedRecord> => {
    const made = await RECORD_FACTORIES.reminder(tenant);
    await tenant.app.asSuperuser((em) => em.nativeUpdate(Reminder, {}, { status: 'DEAD' }));
    return made;
  },
  /** Creates an opt-out link of a new Client. */
  optOutLink: async (tenant): Promise<CreatedRecord> => {
    const { app, fixture } = tenant;
    const owner = { kind: 'CLIENT' as const, id: idOf(await RECORD_FACTORIES.client(tenant)) };
    const secret = randomBytes(24).toString('base64url');
    const link = new OptOutLink(fixture.clinicId, owner, secret, app.clock.now());
    await app.asSuperuser((em) => em.persist(link).flush());
    return { path: { kind: 'session', secret } };
  },
} satisfies Record<string, RecordFactory>;

/** Inserts the link directly into the database, because the service allows only ten links per person. */
async function createCalendarLink(
  { app, fixture }: TestTenant,
  kind: 'CLIENT' | 'CARE_PROVIDER',
  id: number,
): Promise<CreatedRecord> {
  const secret = randomBytes(32).toString('base64url');
  const secretHash = createHash('sha256').update(secret).digest('hex');
  const { clinicId } = fixture;
  const owner = kind === 'CLIENT' ? { clinicId, clientId: id } : { clinicId, caregiverId: id };
  const link = new CalendarLink(owner, { titles: 'DISCREET', secretHash }, app.clock.now());
  await app.asSuperuser((em) => em.persist(link).flush());
  return { path: { id: link.id, secret } };
}

const idOf = ({ path }: CreatedRecord) => Number(path['id']);

/** Returns a unique external ID. */
export const nextExternalId = () => `ext-${(count += 1)}`;

async function insertRecord(
  app: TestApp,
  create: (externalId: string) => Clinic | CareProvider | Client | Book,
): Promise<CreatedRecord> {
  const externalId = nextExternalId();
  const row = create(externalId);
  await app.asSuperuser((em) => em.persist<object>(row).flush());
  return { path: { id: row.id, externalId } };
}

async function createSessionOn(tenant: TestTenant, date: Temporal.PlainDate): Promise<CreatedRecord> {
  const { clientIds, ownBookId } = tenant.fixture;
  const answer = await tenant.callAsCareProvider('session', {
    ...{ clientId: clientIds[0], title: tenant.privateMarker, bookIdList: [ownBookId], reminders: ['-P1D'] },
    ...{ date: date.toString().replaceAll('-', '/'), time: '09:30' },
  });
  const { message } = answer.body as { message: string };
  return { path: { id: Number(/: (\d+)\./.exec(message)![1]) } };
}

/**
 * Returns digests of the rows, keyed by table and Clinic ID; rows without a Clinic have the ID 0. Leaves out the audit
 * trail, which refused requests also add to, and the heartbeats of instances.
 */
export async function digestTables(app: TestApp): Promise<Record<string, string>> {
  return app.asSuperuser(async (em) => {
    const run = (statement: string) => (em as SqlEntityManager).execute<Record<string, string>[]>(statement);
    let statement = digests.get(app);
    if (statement === undefined) digests.set(app, (statement = digestStatement(await run(TABLES))));
    const rows = await run(statement);
    return Object.fromEntries(rows.map(({ name, clinic, digest }) => [`${name!} ${clinic!}`, digest!]));
  });
}

/** The digest statement per application. It is cached, because finding the tables takes longer than reading them. */
const digests = new WeakMap<TestApp, string>();

const TABLES = `select table_name as name, bool_or(column_name = 'clinic_id') as has_clinic
  from information_schema.columns where table_schema = 'public' and table_name not like 'audit%' and table_name <> 'instance'
    and table_name not like 'citus\\_%'
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
