import { Logger } from '@nestjs/common';
import ICAL from 'ical.js';
import { hash } from 'node:crypto';
import { CalendarLink } from '../../src/calendar/index.js';
import { CareProvider, Client, Clinic } from '../../src/directory/index.js';
import { Session } from '../../src/session/index.js';
import { TestApp, type ClinicFixture } from '../support/app/test-app.js';

const LINKS = {
  caregiver: '/gateway/profile/caregiver/calendar-link',
  client: '/gateway/profile/client/calendar-link',
};
/** Expiry time of the links that these tests create. */
const YEAR_LATER = '2028-01-16T10:00:00.000Z';
const SESSIONS = '/gateway/profile/caregiver/session';

let app: TestApp;
let clinic: ClinicFixture;
let clientToken: string;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set('2027-01-15T10:00:00Z');
  clinic = await app.createClinic();
  clientToken = await app.createToken('CLIENT', clinic.clientIds[0]);
});

const createLink = (path: string, token: string, body: unknown = {}) => app.call('POST', path, { token, body });
/** Creates a link, and returns its URL with the port of this test. */
async function linkTo(path: string, token: string, body: unknown = {}): Promise<string> {
  const answer = await createLink(path, token, body);
  expect(answer.status).toBe(201);
  return new URL(answer.body.url as string).pathname;
}
const careProviderLink = (body: unknown = {}) => linkTo(LINKS.caregiver, clinic.careProviderToken, body);
const clientLink = (body: unknown = {}) => linkTo(LINKS.client, clientToken, body);

type Scheduled = { id: number; seriesId: string; timeZone: string; startsAt: string; endsAt: string };

/** Creates Sessions and returns them as they are read back. */
async function schedule(change: object = {}, fixture = clinic, headers = {}): Promise<[Scheduled, ...Scheduled[]]> {
  const body = { clientId: fixture.clientIds[0], title: 'Title', date: '2027/03/01', time: '09:30', ...change };
  const answer = await app.call('POST', SESSIONS, { token: fixture.careProviderToken, body, headers });
  expect(answer.status).toBe(201);
  const list = `${answer.headers.get('location')!}&limit=200`;
  return (await app.call('GET', list, { token: fixture.careProviderToken })).body.items;
}

type Event = { uid: string; start: string; end: string; zone: string; status: string; sequence: number; all: string };

/** Parses a calendar with an independent library. */
function parse(text: string): { events: Event[]; root: ICAL.Component } {
  const root = new ICAL.Component(ICAL.parse(text));
  const zones = new Map(
    root.getAllSubcomponents('vtimezone').map((one) => [one.getFirstPropertyValue('tzid'), new ICAL.Timezone(one)]),
  );
  const events = root.getAllSubcomponents('vevent').map((component) => {
    const instant = (name: string) => {
      const property = component.getFirstProperty(name)!;
      const time = property.getFirstValue() as ICAL.Time;
      const tzid = property.getFirstParameter('tzid');
      // Uses the time zone definitions in the calendar instead of the parser's own.
      if (tzid) time.zone = zones.get(tzid)!;
      else expect(time.zone.tzid).toBe('UTC');
      return Temporal.Instant.fromEpochMilliseconds(time.toUnixTime() * 1000).toString({ fractionalSecondDigits: 3 });
    };
    return {
      uid: String(component.getFirstPropertyValue('uid')),
      start: instant('dtstart'),
      end: instant('dtend'),
      zone: component.getFirstProperty('dtstart')!.getFirstParameter('tzid') || 'UTC',
      status: String(component.getFirstPropertyValue('status')),
      sequence: Number(component.getFirstPropertyValue('sequence')),
      all: component.toString(),
    };
  });
  return { events, root };
}
async function eventsOf(path: string): Promise<Event[]> {
  const answer = await app.call('GET', path);
  expect(answer.status).toBe(200);
  return parse(answer.text).events;
}
const expected = ({ id, startsAt, endsAt }: { id: number; startsAt: string; endsAt: string }) => ({
  uid: `session-${id}@care.example.org`,
  start: startsAt,
  end: endsAt,
});

describe.each(['caregiver', 'client'] as const)('links of a %s', (who) => {
  const path = LINKS[who];
  const myToken = () => (who === 'client' ? clientToken : clinic.careProviderToken);
  const links = () =>
    app.asSuperuser((em) => em.find(CalendarLink, { clinicId: clinic.clinicId }, { orderBy: { id: 'asc' } }));

  it('are not for callers without a token, nor for other roles', async () => {
    const calls = [['POST', path, {}] as const, ['GET', path] as const, ['DELETE', `${path}/1`] as const];
    const others = { caregiver: clientToken, client: clinic.careProviderToken }[who];
    for (const [method, url, body] of calls) {
      expect((await app.call(method, url, { body })).status).toBe(401);
      for (const token of [others, clinic.clinicToken, await app.createToken('ADMIN')])
        expect((await app.call(method, url, { body, token })).status).toBe(403);
    }
    expect(await links()).toEqual([]);
  });

  it.each([{ titles: 'LOUD' }, { titles: 1 }, { titles: ['FULL'] }, [], 'x'])('refuses %j', async (body) => {
    expect((await createLink(path, myToken(), body)).status).toBe(400);
    expect(await links()).toEqual([]);
  });

  it('are returned once, and stored as a hash', async () => {
    const answer = await createLink(path, myToken(), { titles: 'FULL' });
    expect([answer.status, answer.body]).toEqual([
      201,
      { id: expect.any(Number), url: expect.any(String), expiresAt: YEAR_LATER },
    ]);
    expect(answer.headers.get('cache-control')).toContain('no-store');
    const [, secret] = /^https:\/\/care\.example\.org\/calendar\/([\w-]+)\.ics$/.exec(answer.body.url as string)!;
    expect(Buffer.from(secret!, 'base64url').length * 8).toBeGreaterThanOrEqual(128);
    const [link] = await links();
    expect(link).toMatchObject({
      id: answer.body.id,
      titles: 'FULL',
      secretHash: hash('sha256', secret!, 'hex'),
      caregiverId: who === 'caregiver' ? clinic.careProviderIds[0] : null,
      clientId: who === 'client' ? clinic.clientIds[0] : null,
      revokedAt: null,
    });
    expect(JSON.stringify(link)).not.toContain(secret);
    const list = await app.call('GET', path, { token: myToken() });
    expect(list.body).toEqual({
      items: [{ id: answer.body.id, titles: 'FULL', createdAt: '2027-01-15T10:00:00.000Z', expiresAt: YEAR_LATER }],
      nextCursor: null,
    });
  });

  it('are discreet by default', async () => {
    await createLink(path, myToken());
    await createLink(path, myToken(), { titles: null });
    expect((await links()).map((link) => link.titles)).toEqual(['DISCREET', 'DISCREET']);
  });

  it('are listed by pages, for each owner separately', async () => {
    const other = await app.createClinic();
    await createLink(LINKS.caregiver, other.careProviderToken);
    const ids: number[] = [];
    for (let index = 0; index < 3; index += 1) ids.push((await createLink(path, myToken())).body.id as number);
    const first = await app.call('GET', `${path}?limit=2`, { token: myToken() });
    const cursor = first.body.nextCursor as string;
    const second = await app.call('GET', `${path}?limit=2&cursor=${cursor}`, { token: myToken() });
    expect([...first.body.items, ...second.body.items].map(({ id }) => id)).toEqual(ids);
    expect(second.body.nextCursor).toBeNull();
    expect((await app.call('GET', `${path}?cursor=x`, { token: myToken() })).status).toBe(400);
  });

  it('are at most ten, also for concurrent requests; a revoked link does not count', async () => {
    const answers = await Promise.all(Array.from({ length: 14 }, () => createLink(path, myToken())));
    const statuses = answers.map((answer) => answer.status).toSorted();
    expect(statuses).toEqual([...Array<number>(10).fill(201), ...Array<number>(4).fill(409)]);
    expect(await links()).toHaveLength(10);
    const { id } = answers.find((answer) => answer.status === 201)!.body;
    expect((await app.call('DELETE', `${path}/${id}`, { token: myToken() })).status).toBe(204);
    expect((await createLink(path, myToken())).status).toBe(201);
  });

  it('are revoked permanently and idempotently, by their owner only', async () => {
    const { id, url } = (await createLink(path, myToken())).body;
    const foreign = await app.createClinic();
    const strangers = [
      [LINKS.caregiver, foreign.careProviderToken],
      [LINKS.client, await app.createToken('CLIENT', clinic.clientIds[1])],
      [LINKS.caregiver, await app.createToken('CARE_PROVIDER', clinic.careProviderIds[1])],
    ] as const;
    for (const [theirs, token] of strangers)
      expect((await app.call('DELETE', `${theirs}/${id}`, { token })).status).toBe(404);
    expect((await app.call('DELETE', `${path}/x`, { token: myToken() })).status).toBe(400);
    const feed = new URL(url as string).pathname;
    expect((await app.call('GET', feed)).status).toBe(200);
    for (const minutes of [1, 2]) {
      app.clock.advance({ minutes });
      const answer = await app.call('DELETE', `${path}/${id}`, { token: myToken() });
      expect([answer.status, answer.text]).toEqual([204, '']);
    }
    expect(String((await links())[0]!.revokedAt)).toBe('2027-01-15T10:01:00Z');
    expect((await app.call('GET', feed)).status).toBe(404);
    expect((await app.call('GET', path, { token: myToken() })).body.items).toEqual([]);
  });

  it('expire after 366 days, and work again once they are renewed', async () => {
    const { id, url } = (await createLink(path, myToken())).body;
    const feed = new URL(url as string).pathname;
    const change = (verb: string) => app.call('POST', `${path}/${id}/${verb}`, { token: myToken() });
    app.clock.set('2028-01-16T09:59:59.999Z');
    expect((await app.call('GET', feed)).status).toBe(200);
    app.clock.set(YEAR_LATER);
    expect((await app.call('GET', feed)).status).toBe(404);
    expect((await app.call('GET', path, { token: myToken() })).body.items).toEqual([
      expect.objectContaining({ id, expiresAt: YEAR_LATER }),
    ]);
    const renewed = await change('renew');
    expect([renewed.status, renewed.body.expiresAt]).toEqual([200, '2029-01-16T10:00:00.000Z']);
    expect((await app.call('GET', feed)).status).toBe(200);
    app.clock.set('2029-01-16T10:00:00Z');
    // The secret of an expired link does not work, even after the link is rotated.
    const rotated = await change('rotate');
    expect([rotated.status, rotated.body.expiresAt]).toEqual([200, '2030-01-17T10:00:00.000Z']);
    expect((await app.call('GET', feed)).status).toBe(404);
    expect((await app.call('GET', new URL(rotated.body.url as string).pathname)).status).toBe(200);
  });

  it('get a new secret, while the previous one works for a day, and the one before it no longer', async () => {
    const { id, url } = (await createLink(path, myToken())).body;
    const rotate = () => app.call('POST', `${path}/${id}/rotate`, { token: myToken() });
    const urls = [url as string];
    for (let times = 0; times < 2; times += 1) {
      const answer = await rotate();
      expect([answer.status, answer.body.id, answer.headers.get('cache-control')]).toEqual([
        200,
        id,
        expect.stringContaining('no-store'),
      ]);
      urls.push(answer.body.url as string);
    }
    const statuses = async () => {
      const found: number[] = [];
      for (const one of urls) found.push((await app.call('GET', new URL(one).pathname)).status);
      return found;
    };
    expect(await statuses()).toEqual([404, 200, 200]);
    app.clock.set('2027-01-16T09:59:59.999Z');
    expect(await statuses()).toEqual([404, 200, 200]);
    app.clock.set('2027-01-16T10:00:00Z');
    expect(await statuses()).toEqual([404, 404, 200]);
    const [stored] = await links();
    for (const one of urls) expect(JSON.stringify(stored)).not.toContain(/calendar\/(.+)\.ics/.exec(one)![1]!);
  });

  it('get one working secret each from concurrent rotations', async () => {
    const { id } = (await createLink(path, myToken())).body;
    const answers = await Promise.all(
      Array.from({ length: 3 }, () => app.call('POST', `${path}/${id}/rotate`, { token: myToken() })),
    );
    const statuses: number[] = [];
    for (const { body } of answers) statuses.push((await app.call('GET', new URL(body.url as string).pathname)).status);
    expect(statuses.toSorted()).toEqual([200, 200, 404]);
  });

  it('are neither renewed nor rotated once they are revoked, nor by others', async () => {
    const { id } = (await createLink(path, myToken())).body;
    const foreign = await app.createClinic();
    const before = await links();
    for (const verb of ['renew', 'rotate']) {
      const call = (base: string, token: string, link = String(id)) =>
        app.call('POST', `${base}/${link}/${verb}`, { token });
      expect((await call(LINKS.caregiver, foreign.careProviderToken)).status).toBe(404);
      expect((await call(LINKS.client, await app.createToken('CLIENT', clinic.clientIds[1]))).status).toBe(404);
      expect((await call(path, myToken(), 'x')).status).toBe(400);
    }
    expect(await links()).toEqual(before);
    await app.call('DELETE', `${path}/${id}`, { token: myToken() });
    for (const verb of ['renew', 'rotate'])
      expect((await app.call('POST', `${path}/${id}/${verb}`, { token: myToken() })).status).toBe(404);
  });

  it('are not for a deactivated owner', async () => {
    const person = who === 'client' ? Client : CareProvider;
    const id = who === 'client' ? clinic.clientIds[0] : clinic.careProviderIds[0];
    await app.asSuperuser((em) => em.nativeUpdate<CareProvider | Client>(person, { id }, { active: false }));
    expect((await createLink(path, myToken())).status).toBe(403);
    expect(await links()).toEqual([]);
  });
});

describe('a feed', () => {
  it('is iCalendar for each caller with its address, and is not cached', async () => {
    await schedule();
    const answer = await app.call('GET', await careProviderLink());
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('max-age=1, no-cache, no-store');
    expect(answer.text).toMatch(/^BEGIN:VCALENDAR\r\n[^]*END:VCALENDAR\r\n$/);
    // Every line ends with CR LF and has at most 75 octets (RFC 5545, section 3.1).
    expect(answer.text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    expect(Math.max(...answer.text.split('\r\n').map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(75);
    // The properties of the calendar must precede its components (RFC 5545, section 3.4).
    expect(answer.text.match(/^(BEGIN:V|METHOD|REFRESH-INTERVAL)\w*/gm)).toEqual([
      ...['BEGIN:VCALENDAR', 'METHOD', 'REFRESH-INTERVAL', 'BEGIN:VTIMEZONE', 'BEGIN:VEVENT'],
    ]);
    const { root } = parse(answer.text);
    expect(['version', 'method', 'refresh-interval'].map((name) => String(root.getFirstPropertyValue(name)))).toEqual([
      ...['2.0', 'PUBLISH', 'PT1H'],
    ]);
  });

  it.each([
    '/calendar/.ics',
    '/calendar/x.ics',
    '/calendar/x',
    '/calendar/999999999.ics',
    `/calendar/${'A'.repeat(43)}.ics`,
    '/calendar/%00.ics',
    '/calendar/%27%20or%201=1.ics',
    `/calendar/${'A'.repeat(500)}.ics`,
    '/calendar',
  ])('is 404 for %s', async (path) => {
    const answer = await app.call('GET', path);
    expect([answer.status, answer.body.type]).toEqual([404, 'urn:problem:not-found']);
    expect(answer.text).not.toContain('A'.repeat(43));
  });

  it('is 404 while its owner or their Clinic is deactivated', async () => {
    const [byProvider, byClient] = [await careProviderLink(), await clientLink()];
    const statuses = async () =>
      Promise.all([byProvider, byClient].map(async (path) => (await app.call('GET', path)).status));
    const set = (active: boolean, clinicId = clinic.clinicId) =>
      app.asSuperuser((em) => em.nativeUpdate(Clinic, { id: clinicId }, { active }));
    expect(await statuses()).toEqual([200, 200]);
    await set(false);
    expect(await statuses()).toEqual([404, 404]);
    await set(true);
    await app.asSuperuser((em) => em.nativeUpdate(Client, { id: clinic.clientIds[0] }, { active: false }));
    expect(await statuses()).toEqual([200, 404]);
    await app.asSuperuser((em) => em.nativeUpdate(CareProvider, { id: clinic.careProviderIds[0] }, { active: false }));
    expect(await statuses()).toEqual([404, 404]);
  });

  it('contains only the Sessions of its owner', async () => {
    const [first, second, third] = clinic.clientIds;
    const colleague: ClinicFixture = {
      ...clinic,
      careProviderToken: await app.createToken('CARE_PROVIDER', clinic.careProviderIds[1]),
      clientIds: [third, third, third],
    };
    const other = await app.createClinic();
    const [mine] = await schedule();
    const [ofSecond] = await schedule({ clientId: second });
    const [withColleague] = await schedule({ clientId: first, caregiverId: clinic.careProviderIds[1] });
    const [ofColleague] = await schedule({}, colleague);
    const [foreign] = await schedule({}, other);
    const seen = async (path: string) => (await eventsOf(path)).map(({ uid }) => uid).toSorted();
    const uids = (...sessions: Scheduled[]) => sessions.map((session) => expected(session).uid).toSorted();
    expect(await seen(await careProviderLink())).toEqual(uids(mine, ofSecond));
    expect(await seen(await clientLink())).toEqual(uids(mine, withColleague));
    expect(await seen(await linkTo(LINKS.caregiver, colleague.careProviderToken))).toEqual(
      uids(withColleague, ofColleague),
    );
    expect(await seen(await linkTo(LINKS.caregiver, other.careProviderToken))).toEqual(uids(foreign));
  });

  it('reaches from 90 days ago to 366 days ahead', async () => {
    const dates = ['2026/10/16', '2026/10/17', '2027/01/15', '2028/01/15', '2028/01/17'];
    for (const date of dates) await schedule({ date, time: '12:00' });
    expect((await eventsOf(await careProviderLink())).map(({ start }) => start.slice(0, 10))).toEqual([
      ...['2026-10-17', '2027-01-15', '2028-01-15'],
    ]);
  });

  it('has 2,000 events at most, the earliest', async () => {
    const [template] = await schedule({ date: '2027/01/01' });
    await app.asSuperuser(async (em) => {
      const { id: _, ...row } = { ...(await em.findOneOrFail(Session, { id: template.id })) };
      const startsAt = Temporal.Instant.from('2027-02-01T09:00:00Z');
      const rows = Array.from({ length: 2_005 }, (_, index) => ({
        ...row,
        position: index + 2,
        startsAt: startsAt.add({ minutes: index }),
        endsAt: startsAt.add({ minutes: index + 50 }),
      }));
      await em.insertMany(Session, rows as unknown as Session[]);
    });
    const events = await eventsOf(await careProviderLink());
    expect(events).toHaveLength(2_000);
    expect([events[0]!.start, events.at(-1)!.start]).toEqual(['2027-01-01T09:30:00.000Z', '2027-02-02T18:18:00.000Z']);
  });

  it('has a component, as a calendar must, even if there is no Session', async () => {
    const { text } = await app.call('GET', await clientLink());
    const { root, events } = parse(text);
    expect([events, root.getAllSubcomponents().map(({ name }) => name)]).toEqual([[], ['vtimezone']]);
    expect(text).toMatch(/\r\nEND:VTIMEZONE\r\nEND:VCALENDAR\r\n$/);
  });

  it('stays the same while nothing changes, as its ETag shows', async () => {
    const path = await careProviderLink();
    await schedule();
    const first = await app.call('GET', path);
    app.clock.advance({ hours: 5 });
    const tag = first.headers.get('etag')!;
    expect(tag).toMatch(/^W\/"[\w-]+"$/);
    expect((await app.call('GET', path)).text).toBe(first.text);
    for (const seen of [tag, tag.slice(2), `"other", ${tag}`, '*']) {
      const answer = await app.call('GET', path, { headers: { 'if-none-match': seen } });
      expect([answer.status, answer.text, answer.headers.get('etag')]).toEqual([304, '', tag]);
    }
    await schedule({ date: '2027/03/02' });
    const changed = await app.call('GET', path, { headers: { 'if-none-match': tag } });
    expect(changed.status).toBe(200);
    expect(changed.headers.get('etag')).not.toBe(tag);
  });
});

describe('the times of a feed', () => {
  it.each([
    // These periods contain both clock changes in 2027, each with the week before and after it.
    ['Europe/London', ['2027/03/21', '2027/10/24'], 3],
    ['America/Los_Angeles', ['2027/03/07', '2027/10/31'], 3],
    ['Australia/Lord_Howe', ['2027/03/28', '2027/09/26'], 2],
    ['Asia/Kathmandu', ['2027/03/21', '2027/10/24'], 0],
  ])('are right around both changes of the clocks in %s', async (timeZone, starts, ambiguous) => {
    const fixture = await app.createClinic(timeZone);
    const path = await linkTo(LINKS.caregiver, fixture.careProviderToken);
    const sessions: Scheduled[] = [];
    for (const date of starts) {
      for (const time of ['00:30', '01:30', '01:45', '02:15', '09:30', '23:45'])
        sessions.push(...(await schedule({ date, time, sessionCount: 15, intervalDays: 1 }, fixture)));
    }
    const events = await eventsOf(path);
    const byUid = (one: { uid: string }, other: { uid: string }) => one.uid.localeCompare(other.uid);
    expect(events.map(({ uid, start, end }) => ({ uid, start, end })).toSorted(byUid)).toEqual(
      sessions.map(expected).toSorted(byUid),
    );
    // Only Sessions that begin or end in a repeated hour are written in UTC.
    expect(events.filter(({ zone }) => zone === 'UTC')).toHaveLength(ambiguous);
    expect(events.filter(({ zone }) => zone === timeZone)).toHaveLength(180 - ambiguous);
  });

  it('are in UTC where the Session was planned with an offset', async () => {
    const [session] = await schedule({}, clinic, { offset: '330' });
    expect(session).toMatchObject({ timeZone: '+05:30', startsAt: '2027-03-01T04:00:00.000Z' });
    const [event] = await eventsOf(await careProviderLink());
    expect(event).toMatchObject({ ...expected(session), zone: 'UTC' });
  });

  it('are in UTC where the Clinic is', async () => {
    const fixture = await app.createClinic('UTC');
    const [session] = await schedule({}, fixture);
    const path = await linkTo(LINKS.caregiver, fixture.careProviderToken);
    expect(await eventsOf(path)).toMatchObject([{ ...expected(session), zone: 'UTC' }]);
    expect((await app.call('GET', path)).text).not.toContain('VTIMEZONE');
  });

  it('are in the zone of their Session', async () => {
    await schedule();
    await app.asSuperuser((em) => em.nativeUpdate(Clinic, { id: clinic.clinicId }, { timeZone: 'Asia/Kathmandu' }));
    await schedule();
    const events = await eventsOf(await careProviderLink());
    expect(events.map(({ zone, start }) => [zone, start])).toEqual([
      ['Asia/Kathmandu', '2027-03-01T03:45:00.000Z'],
      ['Europe/London', '2027-03-01T09:30:00.000Z'],
    ]);
  });

  it('are in UTC where the end falls into the hour that the clocks repeat', async () => {
    const [session] = await schedule({ date: '2027/10/31', time: '01:30' });
    expect(session).toMatchObject({ startsAt: '2027-10-31T00:30:00.000Z', endsAt: '2027-10-31T01:20:00.000Z' });
    const [event] = await eventsOf(await careProviderLink());
    expect(event).toMatchObject({ ...expected(session), zone: 'UTC' });
  });
});

describe('a change of a Session', () => {
  const step = async (path: string, body: unknown, version?: number) => {
    const headers: Record<string, string> = version === undefined ? {} : { 'if-match': `"${version}"` };
    const method = version === undefined ? 'POST' : 'PATCH';
    const answer = await app.call(method, path, { token: clinic.careProviderToken, body, headers });
    expect(answer.status).toBe(200);
  };

  it('changes its event: the same UID, a new time, a higher SEQUENCE', async () => {
    const [session] = await schedule();
    const paths = [await careProviderLink(), await clientLink()];
    const before = await Promise.all(paths.map(eventsOf));
    expect(before.map(([event]) => [event!.sequence, event!.status])).toEqual([
      [0, 'CONFIRMED'],
      [0, 'CONFIRMED'],
    ]);
    app.clock.advance({ hours: 1 });
    await step(`${SESSIONS}/${session.id}`, { date: '2027/03/29', time: '14:00' }, 1);
    const sequences = [];
    for (const [index, path] of paths.entries()) {
      const [event] = await eventsOf(path);
      expect(event).toMatchObject({
        uid: before[index]![0]!.uid,
        start: '2027-03-29T13:00:00.000Z',
        end: '2027-03-29T13:50:00.000Z',
      });
      expect(event!.sequence).toBeGreaterThan(0);
      expect(event!.all).toContain('LAST-MODIFIED:20270115T110000Z');
      expect(event!.all).toContain('DTSTAMP:20270115T110000Z');
      sequences.push(event!.sequence);
    }
    const stored = await app.asSuperuser((em) => em.findOneOrFail(Session, { id: session.id }));
    expect(sequences).toEqual([stored.version - 1, stored.version - 1]);
  });

  it('cancels its event, and undoing that confirms it, each with a higher SEQUENCE', async () => {
    const [session] = await schedule();
    const path = await clientLink();
    await step(`${SESSIONS}/${session.id}/cancel`, { reason: 'CLIENT_REQUEST', note: 'canary-note' });
    const [cancelled] = await eventsOf(path);
    expect(cancelled).toMatchObject({ ...expected(session), status: 'CANCELLED', sequence: 1 });
    expect(cancelled!.all).not.toContain('canary');
    await step(`${SESSIONS}/${session.id}/undo`, {});
    expect((await eventsOf(path))[0]).toMatchObject({ status: 'CONFIRMED', sequence: 2 });
  });

  it('makes its event tentative while its series is paused', async () => {
    const [session] = await schedule({ sessionCount: 2 });
    const path = await careProviderLink();
    const series = `/gateway/profile/caregiver/series/${session.seriesId}`;
    await step(`${series}/pause`, {});
    expect((await eventsOf(path)).map(({ status, sequence }) => [status, sequence])).toEqual([
      ['TENTATIVE', 1],
      ['TENTATIVE', 1],
    ]);
    await step(`${series}/resume`, {});
    expect((await eventsOf(path)).map(({ status }) => status)).toEqual(['CONFIRMED', 'CONFIRMED']);
  });
});

describe('the content of a calendar', () => {
  const CANARY = /canary/i;
  const INJECTION = 'A, b; c\\d "e"\r\nBEGIN:VEVENT\nUID:evil\rEND:VEVENT\n\tBEGIN:VALARM:x\u0007\u2028y é漢🙂'.padEnd(
    199,
    'z',
  );

  async function withCanaries(): Promise<Scheduled> {
    await app.asSuperuser(async (em) => {
      await em.nativeUpdate(Clinic, { id: clinic.clinicId }, { name: 'Canary Clinic' });
      for (const person of [Client, CareProvider])
        await em.nativeUpdate<CareProvider | Client>(
          person,
          { clinicId: clinic.clinicId },
          { name: 'Cora Canary', email: 'cora@canary.example' },
        );
    });
    const [session] = await schedule({ title: 'Canary title', description: 'Canary description' });
    return session;
  }

  it('is only times, if it is discreet', async () => {
    const session = await withCanaries();
    const paths = [await careProviderLink(), await clientLink({ titles: 'DISCREET' })];
    const singles = [
      [`${SESSIONS}/${session.id}/calendar.ics`, clinic.careProviderToken],
      [`/gateway/profile/clinic/session/${session.id}/calendar.ics`, clinic.clinicToken],
      [`/gateway/profile/client/session/${session.id}/calendar.ics`, clientToken],
    ] as const;
    const texts = [
      ...(await Promise.all(paths.map((path) => app.call('GET', path)))),
      ...(await Promise.all(singles.map(([path, token]) => app.call('GET', path, { token })))),
    ];
    for (const { status, text } of texts) {
      expect(status).toBe(200);
      const { root, events } = parse(text);
      expect(text).not.toMatch(CANARY);
      expect(text).not.toContain('Clinic');
      expect(events).toHaveLength(1);
      const event = root.getFirstSubcomponent('vevent')!;
      expect(
        event
          .getAllProperties()
          .map(({ name }) => name)
          .toSorted(),
      ).toEqual(['class', 'dtend', 'dtstamp', 'dtstart', 'last-modified', 'sequence', 'status', 'summary', 'uid']);
      expect(event.getFirstPropertyValue('summary')).toBe('Appointment');
      expect(event.getFirstPropertyValue('class')).toBe('PRIVATE');
    }
  });

  it.each<[locale: string | null, ofClinic: string | null, title: string, name: string]>([
    ['de-AT', 'fr', 'Termin', 'Termine'],
    [null, 'fr', 'Rendez-vous', 'Rendez-vous'],
    ['es', null, 'Cita', 'Citas'],
    ['pt-BR', 'de', 'Appointment', 'Appointments'],
  ])('is in the language of %s, in a Clinic with %s', async (locale, ofClinic, title, name) => {
    await app.asSuperuser(async (em) => {
      await em.nativeUpdate(Clinic, { id: clinic.clinicId }, { locale: ofClinic });
      await em.nativeUpdate(Client, { clinicId: clinic.clinicId }, { locale });
      await em.nativeUpdate(CareProvider, { clinicId: clinic.clinicId }, { locale });
    });
    const [session] = await schedule();
    const titleOf = (root: ICAL.Component) => root.getFirstSubcomponent('vevent')!.getFirstPropertyValue('summary');
    for (const path of [await careProviderLink(), await clientLink()]) {
      const { root } = parse((await app.call('GET', path)).text);
      expect([titleOf(root), root.getFirstPropertyValue('x-wr-calname')]).toEqual([title, name]);
    }
    const ofOne = `session/${session.id}/calendar.ics`;
    const titles = [];
    for (const [role, token] of [
      ['client', clientToken],
      ['caregiver', clinic.careProviderToken],
      ['clinic', clinic.clinicToken],
    ] as const) {
      titles.push(titleOf(parse((await app.call('GET', `/gateway/profile/${role}/${ofOne}`, { token })).text).root));
    }
    expect(titles).toEqual([title, title, { fr: 'Rendez-vous', de: 'Termin' }[ofClinic ?? ''] ?? 'Appointment']);
  });

  it('is title and description when the owner chooses so, and still no name of a person', async () => {
    await withCanaries();
    for (const path of [await careProviderLink({ titles: 'FULL' }), await clientLink({ titles: 'FULL' })]) {
      const { text } = await app.call('GET', path);
      const event = parse(text).root.getFirstSubcomponent('vevent')!;
      expect(event.getFirstPropertyValue('summary')).toBe('Canary title');
      expect(event.getFirstPropertyValue('description')).toBe('Canary description');
      expect(text).not.toMatch(/Cora|canary\.example|Canary Clinic/);
    }
  });

  it('is escaped, whatever the text contains', async () => {
    await schedule({ title: INJECTION, description: INJECTION.repeat(10) });
    const answer = await app.call('GET', await careProviderLink({ titles: 'FULL' }));
    const { events, root } = parse(answer.text);
    expect(events.map(({ uid }) => uid)).toEqual([expect.stringMatching(/^session-/)]);
    expect(answer.text.match(/^BEGIN:V(EVENT|ALARM)/gm)).toEqual(['BEGIN:VEVENT']);
    const written = (text: string) =>
      text.replaceAll(/\r\n?/g, '\n').replaceAll('\u0007', ' ').replaceAll('\u2028', ' ');
    const event = root.getFirstSubcomponent('vevent')!;
    expect(event.getFirstPropertyValue('summary')).toBe(written(INJECTION));
    expect(event.getFirstPropertyValue('description')).toBe(written(INJECTION.repeat(10)));
  });

  it('does not appear in logs and metrics, nor does the secret', async () => {
    const lines: unknown[] = [];
    const keep = (...line: unknown[]) => lines.push(line);
    Logger.overrideLogger({ log: keep, error: keep, warn: keep, debug: keep, verbose: keep, fatal: keep });
    await withCanaries();
    const path = await careProviderLink({ titles: 'FULL' });
    const secret = /\/calendar\/(.+)\.ics/.exec(path)![1]!;
    for (const one of [path, `${path}?x=1`, path.replace('.ics', '.txt'), `/calendar/${secret}`])
      await app.call('GET', one);
    for (const method of ['HEAD', 'POST', 'OPTIONS']) await app.call(method, path);
    await app.asSuperuser((em) =>
      em.nativeUpdate(CalendarLink, { clinicId: clinic.clinicId }, { revokedAt: app.clock.now() }),
    );
    await app.call('GET', path);
    const metrics = (await app.call('GET', '/metrics')).text;
    const log = JSON.stringify(lines);
    expect(log).toContain('/calendar/:secret.ics');
    for (const text of [log, metrics]) {
      expect(text).not.toContain(secret);
      expect(text).not.toMatch(CANARY);
    }
    Logger.overrideLogger(false);
  });
});

describe('the calendar of one Session', () => {
  const PATHS = ['caregiver', 'clinic', 'client'].map((who) => `/gateway/profile/${who}/session`);
  const read = (who: 'caregiver' | 'clinic' | 'client', id: number | string, token?: string, query = '') =>
    app.call('GET', `/gateway/profile/${who}/session/${id}/calendar.ics${query}`, { token });

  it('is not for callers without a token, nor for other roles', async () => {
    const tokens = [clinic.careProviderToken, clinic.clinicToken, clientToken, await app.createToken('ADMIN')];
    for (const [index, path] of PATHS.entries()) {
      expect((await app.call('GET', `${path}/1/calendar.ics`)).status).toBe(401);
      for (const token of tokens.filter((_, other) => other !== index))
        expect((await app.call('GET', `${path}/1/calendar.ics`, { token })).status).toBe(403);
    }
  });

  it('is the event of the feed, for each caller who may see the Session', async () => {
    const [session] = await schedule({ title: 'Told', description: 'In full' });
    const answers = [
      await read('caregiver', session.id, clinic.careProviderToken),
      await read('clinic', session.id, clinic.clinicToken),
      await read('client', session.id, clientToken),
    ];
    const [fromFeed] = await eventsOf(await careProviderLink());
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
      expect(answer.headers.get('content-disposition')).toBe('attachment; filename="appointment.ics"');
      expect(answer.headers.get('cache-control')).toContain('no-store');
      const { events } = parse(answer.text);
      expect(events).toEqual([fromFeed]);
      expect(events[0]).toMatchObject({ ...expected(session), zone: 'Europe/London' });
    }
    const full = await read('client', session.id, clientToken, '?titles=FULL');
    expect(full.text).toContain('SUMMARY:Told\r\nDESCRIPTION:In full\r\n');
    const tag = full.headers.get('etag')!;
    const again = await app.call('GET', `${PATHS[2]!}/${session.id}/calendar.ics?titles=FULL`, {
      token: clientToken,
      headers: { 'if-none-match': tag },
    });
    expect(again.status).toBe(304);
  });

  it('has the right offset for dates before the current clock change rules', async () => {
    const fixture = await app.createClinic('America/Los_Angeles');
    // In 2005, the clocks were changed on the first Sunday of April instead of in March.
    const [session] = await schedule({ date: '2005/03/20' }, fixture);
    const answer = await read('caregiver', session.id, fixture.careProviderToken);
    expect(parse(answer.text).events[0]).toMatchObject({ ...expected(session), start: '2005-03-20T17:30:00.000Z' });
  });

  it('is 404 for a caller without access to the Session, and for an unknown Session', async () => {
    const [session] = await schedule();
    const other = await app.createClinic();
    const answers = [
      await read('caregiver', session.id, await app.createToken('CARE_PROVIDER', clinic.careProviderIds[1])),
      await read('caregiver', session.id, other.careProviderToken),
      await read('clinic', session.id, other.clinicToken),
      await read('client', session.id, await app.createToken('CLIENT', clinic.clientIds[1])),
      await read('client', session.id, await app.createToken('CLIENT', other.clientIds[0])),
      await read('caregiver', 999_999_999, clinic.careProviderToken),
      await read('clinic', 999_999_999, clinic.clinicToken),
      await read('client', 999_999_999, clientToken),
    ];
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(404));
    expect(new Set(answers.map(({ body }) => body.detail)).size).toBe(1);
  });

  it('is refused to a deactivated Client', async () => {
    const [session] = await schedule();
    await app.asSuperuser((em) => em.nativeUpdate(Client, { id: clinic.clientIds[0] }, { active: false }));
    expect((await read('client', session.id, clientToken)).status).toBe(403);
  });

  it.each(['0/calendar.ics', 'x/calendar.ics', '1/calendar.ics?titles=LOUD', '1/calendar.ics?titles='])(
    'refuses %s',
    async (rest) => {
      expect((await app.call('GET', `${PATHS[2]!}/${rest}`, { token: clientToken })).status).toBe(400);
    },
  );
});

describe('the database', () => {
  it('refuses a link without an owner, with two, and across Clinics', async () => {
    const other = await app.createClinic();
    const insert = (caregiverId: number | null, clientId: number | null) =>
      app.asSuperuser((em) =>
        em.insert(CalendarLink, {
          ...{ clinicId: clinic.clinicId, caregiverId, clientId, titles: 'FULL', revokedAt: null },
          ...{ secretHash: `${caregiverId}-${clientId}`, createdAt: app.clock.now() },
        } as unknown as CalendarLink),
      );
    await expect(insert(null, null)).rejects.toMatchObject({ code: '23514' });
    await expect(insert(clinic.careProviderIds[0], clinic.clientIds[0])).rejects.toMatchObject({ code: '23514' });
    await expect(insert(other.careProviderIds[0], null)).rejects.toMatchObject({ code: '23503' });
    await expect(insert(null, other.clientIds[0])).rejects.toMatchObject({ code: '23503' });
  });
});
