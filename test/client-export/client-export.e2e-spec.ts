import { sql } from 'kysely';
import type { ClientExport } from '../../src/client/index.js';
import { AuditTrail } from '../../src/audit/index.js';
import { nextHostileText, HOSTILE_MARK } from '../support/browser/hostile-texts.js';
import { TestApp } from '../support/app/test-app.js';
import { ExportedClientFixture } from '../support/client-export/exported-client.js';

/* Tests the export of a Client: its content, access, formats and audit entry. */

const OWN = '/gateway/profile/client/export';
const NDJSON = { accept: 'application/x-ndjson' };
const HTML = { accept: 'text/html' };
const LISTS = ['assignments', 'calendarLinks', 'designPlans', 'series', 'sessions', 'reminders', 'audit'] as const;

let app: TestApp;
let client: ExportedClientFixture;
beforeAll(async () => {
  app = await TestApp.start();
  client = await ExportedClientFixture.create(app);
});
afterAll(() => app.stop());

describe('the document', () => {
  it('has each section, and ends with isComplete', async () => {
    const { status, headers, text, body } = await client.export();
    expect([status, headers.get('cache-control'), headers.get('content-type')]).toEqual([
      ...[200, 'max-age=1, no-cache, no-store', 'application/json; charset=utf-8'],
    ]);
    expect(headers.get('content-disposition')).toBe('attachment; filename="client-export.json"');
    expect(headers.get('vary')).toMatch(/^Origin, accept\b/);
    expect(Object.keys(body as object)).toEqual([
      ...['exportedAt', 'clinic', 'client', 'preference', ...LISTS, 'isComplete'],
    ]);
    expect(text.endsWith('"isComplete":true}')).toBe(true);
    for (const section of LISTS) expect([section, (body as ClientExport)[section].length > 0]).toEqual([section, true]);
  });

  it('has the person, revoked links without secrets, applied revisions, cancellations and histories', async () => {
    const { client: person, preference, ...lists } = await client.readDocument();
    expect(person).toMatchObject({ id: client.id, name: 'Ada', email: 'ada@example.org', externalId: 'ehr-1' });
    expect(preference).toMatchObject({ channels: ['LOG'], quietHours: { from: '21:00', to: '08:00' } });
    expect(lists.assignments.map(({ careProvider }) => careProvider.name)).toEqual(['One']);
    expect(lists.calendarLinks.map(({ titles, revokedAt }) => [titles, revokedAt === null])).toEqual([
      ['FULL', false],
      ['DISCREET', true],
    ]);
    expect(lists.designPlans.map(({ planName, revision }) => [planName, revision])).toEqual([
      ['Earlier', 1],
      ['Current', 1],
    ]);
    expect(lists.series.map(({ toWeek }) => toWeek).sort()).toEqual([2, 2, null, null, null]);
    const cancelled = lists.sessions.find(({ status }) => status === 'CANCELLED');
    expect(cancelled).toMatchObject({ cancellation: { reason: 'ILLNESS', note: 'Has called' }, title: 'Talk' });
    expect(lists.sessions.find(({ books }) => books!.length > 0)).toMatchObject({ careProvider: { name: 'One' } });
    expect(
      lists.reminders.every(
        ({ recipientKind, recipientId }) => recipientKind === 'CLIENT' && recipientId === client.id,
      ),
    ).toBe(true);
    expect(lists.reminders.flatMap(({ history }) => history.map(({ what }) => what))).toContain('SENT');
  });

  it('has no secret of a link', async () => {
    const { text } = await client.export();
    const secrets = await app.queryRows(sql<{ secret: string }>`
      select secret_hash as secret from calendar_link union select opt_out_token from reminder_preference`);
    expect(secrets.length).toBeGreaterThanOrEqual(3);
    for (const { secret } of secrets) expect(text).not.toContain(secret);
  });

  it('has the same values as the lines', async () => {
    const lines = (await client.export(NDJSON)).text.trimEnd().split('\n');
    const values = lines.map((line) => JSON.parse(line) as { section: keyof ClientExport; item: unknown });
    const document = await client.readDocument();
    expect(values.at(-1)).toEqual({ section: 'isComplete', item: true });
    // The request for NDJSON has added an audit entry itself, so the audit section can be longer than that of the
    // document.
    for (const section of [...LISTS, 'client', 'clinic', 'preference'] as const) {
      const items = values.filter((line) => line.section === section).map(({ item }) => item);
      const expected = [document[section]].flat();
      expect([section, items]).toEqual([section, section === 'audit' ? expected.slice(0, items.length) : expected]);
    }
  });

  it('has empty sections for a Client without Sessions, reminders and links', async () => {
    const [, , id] = (await app.createClinic()).clientIds;
    const answer = await app.call('GET', OWN, { token: await app.createToken('CLIENT', id) });
    const { sessions, series, designPlans, reminders, calendarLinks } = answer.body as ClientExport;
    expect([answer.status, sessions, series, designPlans, reminders, calendarLinks]).toEqual([200, [], [], [], [], []]);
  });
});

describe('the audit entries', () => {
  it('name the caller and the operation of each request about the Client, also if it names only their Session', async () => {
    const { audit } = await client.readDocument();
    const [careProviderId] = client.clinic.careProviderIds;
    expect(audit).toContainEqual(
      expect.objectContaining({
        ...{ actorRole: 'CARE_PROVIDER', actorId: careProviderId, access: 'READ', outcome: 'OK' },
        operation: 'GET /gateway/profile/caregiver/session/{id}/digest',
      }),
    );
    expect(audit.map(({ at }) => at)).toEqual(audit.map(({ at }) => at).toSorted());
  });

  it('have the subject and address of the Client only', async () => {
    const { audit } = await client.readDocument();
    for (const { actorRole, actorSubject, address } of audit) {
      const own = actorRole === 'CLIENT' ? [`client-${client.id}`, '127.0.0.1'] : [null, null];
      expect([actorRole, actorSubject, address]).toEqual([actorRole, ...own]);
    }
    expect(new Set(audit.map(({ actorRole }) => actorRole))).toEqual(new Set(['CLINIC', 'CARE_PROVIDER', 'CLIENT']));
  });

  it('never have the ID of another Client: not as a record, and not as the actor', async () => {
    const { clinicToken, clientIds } = client.clinic;
    const other = clientIds[1];
    await client.send(clinicToken, 'GET', '/gateway/profile/clinic/client');
    const { sessions } = await client.readDocument();
    const foreign = `/gateway/profile/client/session/${sessions[0]!.id}`;
    const denied = await app.call('GET', foreign, { token: await app.createToken('CLIENT', other) });
    expect(denied.status).toBe(404);
    for (const read of [client.export(), app.call('GET', OWN, { token: client.token })]) {
      const { audit } = (await read).body as ClientExport;
      const attempt = audit.find(({ actorRole, outcome }) => actorRole === 'CLIENT' && outcome === '404');
      expect(attempt).toMatchObject({ actorId: null, actorSubject: null, address: null });
      expect(audit.find(({ operation }) => operation.endsWith('/clinic/client'))?.records).toEqual([
        `client/${client.id}`,
      ]);
      expect(audit.flatMap(({ records }) => records)).not.toContain(`client/${other}`);
    }
  });

  it('have the entry of the export before, which names the Client', async () => {
    await app.call('GET', OWN, { token: client.token });
    const { audit } = await client.readDocument();
    expect(audit.at(-1)).toMatchObject({
      ...{ operation: `GET ${OWN}`, actorRole: 'CLIENT', actorId: client.id, access: 'READ', outcome: 'OK' },
      records: [`client/${client.id}`],
    });
  });

  it('name only records that retention has removed, as long as the audit trail has entries about them', async () => {
    const removed = await ExportedClientFixture.create(app);
    const operations = async () => (await removed.readDocument()).audit.map(({ operation }) => operation);
    const { clinicId, clinicToken } = removed.clinic;
    const session = await app.queryRows(sql<{ id: string }>`
      select id::text from session where client_id = ${removed.id} order by id`);
    await removed.send(clinicToken, 'GET', `/gateway/profile/clinic/session/${session[0]!.id}`);
    const reminders = await app.queryRows(sql<{ id: string }>`
      select id::text from reminder where recipient_kind = 'CLIENT' and recipient_id = ${removed.id} order by id`);
    await removed.send(clinicToken, 'GET', `/gateway/profile/clinic/reminder/${reminders[0]!.id}/message`);
    // Entries of earlier releases and of denied requests name the record of the path only.
    await app.queryRows(sql`
      insert into audit_entry (clinic_id, at, actor_role, access, operation, records, record_count, request_id, address, outcome)
      select ${clinicId}::bigint, date_trunc('milliseconds', now()), 'CLINIC', 'READ', 'only ' || name, array[name], 1, gen_random_uuid(), 'a', 'OK'
      from (select 'session/' || id from session where clinic_id = ${clinicId} and client_id = ${removed.id}
        union select 'series/' || series_id from session where clinic_id = ${clinicId} and client_id = ${removed.id}
        union select 'homework/' || h.id from homework h join session s on s.clinic_id = h.clinic_id and s.id = h.session_id
          where s.clinic_id = ${clinicId} and client_id = ${removed.id}
        union select 'reminder/' || id from reminder
          where clinic_id = ${clinicId} and recipient_kind = 'CLIENT' and recipient_id = ${removed.id}
      ) as record (name)`);
    const before = await operations();
    const kinds = (found: string[]) =>
      new Set(found.filter((name) => name.startsWith('only ')).map((name) => /^only ([a-z]+)/.exec(name)![1]));
    expect(kinds(before)).toEqual(new Set(['session', 'series', 'homework', 'reminder']));
    await app.queryRows(sql`delete from reminder where clinic_id = ${clinicId}`);
    await app.queryRows(sql`delete from homework where clinic_id = ${clinicId}`);
    await app.queryRows(sql`delete from session where clinic_id = ${clinicId}`);
    await app.queryRows(sql`delete from session_series where clinic_id = ${clinicId}`);
    expect(await operations()).toEqual(expect.arrayContaining(before));
    const other = await app.queryRows(sql`select 1 from removed_record where client_id <> ${removed.id}`);
    expect(other).toEqual([]);
  });
});

describe('access', () => {
  it('a Client of another Clinic is absent', async () => {
    const foreign = await app.createClinic();
    const read = (id: number, accept: object) =>
      app.call('GET', `/gateway/profile/clinic/client/${id}/export`, {
        token: foreign.clinicToken,
        headers: { ...accept },
      });
    for (const accept of [{}, NDJSON, HTML]) {
      const [theirs, absent] = [await read(client.id, accept), await read(4_000_000_000_000, accept)];
      const withoutInstance = ({ body }: typeof theirs) => ({ ...(body as object), instance: '' });
      expect([theirs.status, withoutInstance(theirs)]).toEqual([404, withoutInstance(absent)]);
      expect(theirs.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    }
  });

  it('two Clients of one Clinic have different exports, without a record of the other', async () => {
    const [, other] = client.clinic.clientIds;
    const { body } = await app.call('GET', OWN, { token: await app.createToken('CLIENT', other) });
    const { client: person, sessions, reminders } = body as ClientExport;
    expect([person.id, sessions, reminders]).toEqual([other, [], []]);
  });

  it('the Clinic exports a deactivated Client. The Client has no access any more', async () => {
    const { clinicToken, clientIds } = await app.createClinic();
    const path = `/gateway/profile/clinic/client/${clientIds[0]}`;
    await client.send(clinicToken, 'DELETE', path);
    const { body } = await client.send(clinicToken, 'GET', `${path}/export`);
    expect((body as ClientExport).client).toMatchObject({ id: clientIds[0], active: false });
    expect((await app.call('GET', OWN, { token: await app.createToken('CLIENT', clientIds[0]) })).status).toBe(403);
  });

  it('nothing is sent if the audit entry cannot be written', async () => {
    const trail = app.nest.get(AuditTrail);
    const record = trail.record.bind(trail);
    trail.record = () => Promise.reject(new Error('no entry'));
    const answer = await client.export();
    trail.record = record;
    expect([answer.status, answer.headers.get('content-disposition')]).toEqual([500, null]);
    expect(answer.text).not.toContain('Ada');
  });
});

describe('the page', () => {
  it('is in the language of the Client, and may load and run nothing', async () => {
    const { headers, text } = await client.export(HTML);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]+='; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    );
    expect(text).toContain('<html lang="de">');
    for (const shown of ['Ihre Daten', 'Sitzungen und Hausaufgaben', 'abgesagt', 'Has called', 'Ende des Exports'])
      expect(text).toContain(shown);
    expect(text).not.toMatch(/<(?:script|img|link|iframe|form|a)\b/);
  });

  it.each([
    ['en-US', 'en', 'Your data'],
    ['es', 'es', 'Sus datos'],
    ['fr-CA', 'fr', 'Vos données'],
    ['it', 'en', 'Your data'],
  ])('of a Client with the locale %s is in %s', async (locale, language, title) => {
    const { clinicToken, clientIds } = await app.createClinic();
    const path = `/gateway/profile/clinic/client/${clientIds[0]}`;
    await client.send(clinicToken, 'PATCH', path, { locale });
    const { text } = await client.send(clinicToken, 'GET', `${path}/export`, undefined, HTML);
    expect(text).toContain(`<html lang="${language}">`);
    expect(text).toContain(`<h1>${title}</h1>`);
  });

  it('has each text of a person as text', async () => {
    const { clinicToken, careProviderToken, clientIds } = await app.createClinic();
    const [clientId] = clientIds;
    const texts = Array.from({ length: 12 }, nextHostileText);
    await client.send(clinicToken, 'PATCH', `/gateway/profile/clinic/client/${clientId}`, {
      name: texts[0],
      externalId: texts[1],
    });
    for (const [index, title] of texts.entries())
      await client.send(careProviderToken, 'POST', '/gateway/profile/caregiver/session', {
        ...{ clientId, title, description: texts.at(-index), date: '2027/03/01', time: '09:30' },
      });
    const { text } = await client.send(
      clinicToken,
      'GET',
      `/gateway/profile/clinic/client/${clientId}/export`,
      undefined,
      HTML,
    );
    expect(text).toContain(`window.${HOSTILE_MARK}`);
    const tags = new Set([...text.matchAll(/<\/?([a-z!][a-z\d]*)/gi)].map(([, tag]) => tag!.toLowerCase()));
    const known = ['!doctype', 'html', 'head', 'meta', 'title', 'style', 'body', 'main', 'h1', 'h2', 'p', 'time'];
    expect(
      [...tags].filter((tag) => ![...known, 'section', 'dl', 'dt', 'dd', 'ul', 'li', 'bdi', 'footer'].includes(tag)),
    ).toEqual([]);
    // Elements of the page may have only these attributes.
    const attributes = [...text.slice(text.indexOf('</style>')).matchAll(/<[a-z\d]+ ([a-z-]+)=/g)].map(
      ([, name]) => name,
    );
    expect(new Set(attributes)).toEqual(new Set(['class', 'datetime']));
  });
});
