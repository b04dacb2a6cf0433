import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { World, type ClinicFixture } from './support/world.js';
const PLAN = '/gateway/profile/clinic/design-plan';
let world: World; let clinic: ClinicFixture;
beforeAll(async () => { world = await World.start(); clinic = await world.clinic(); });
afterAll(() => world.stop());
function send(request: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(world.url).port), '127.0.0.1', () => socket.write(request));
    let answer = ''; socket.setTimeout(4000, () => socket.destroy());
    socket.on('data', (c) => (answer += c.toString())); socket.on('error', () => undefined);
    socket.on('close', () => resolve(answer));
  });
}
it('probes', async () => {
  const out: unknown[] = [];
  const t = clinic.clinicToken;
  const auth = `authorization: bearer ${t}\r\n`;
  const body = '{"planName":"A"}';
  const raws: [string, string | Buffer][] = [
    ['no host', `GET /design-plan/1 HTTP/1.1\r\nconnection: close\r\n\r\n`],
    ['two hosts', `GET /design-plan/1 HTTP/1.1\r\nhost: a\r\nhost: b\r\nconnection: close\r\n\r\n`],
    ['http10', `GET /design-plan/1 HTTP/1.0\r\n\r\n`],
    ['expect nonsense', `POST ${PLAN} HTTP/1.1\r\nhost: x\r\nexpect: foo\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}`],
    ['expect 100', `POST ${PLAN} HTTP/1.1\r\nhost: x\r\n${auth}content-type: application/json\r\nexpect: 100-continue\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`],
    ['upgrade', `GET /design-plan/1 HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`],
    ['h2', `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`],
    ['connect', `CONNECT evil:80 HTTP/1.1\r\nhost: x\r\n\r\n`],
    ['options *', `OPTIONS * HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`],
    ['absolute', `GET http://evil/design-plan/1 HTTP/1.1\r\nhost: x\r\n${auth}connection: close\r\n\r\n`],
    ['te foo', `POST ${PLAN} HTTP/1.1\r\nhost: x\r\n${auth}content-type: application/json\r\ntransfer-encoding: foo\r\nconnection: close\r\n\r\n${body}`],
    ['te chunked bad size', `POST ${PLAN} HTTP/1.1\r\nhost: x\r\n${auth}content-type: application/json\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\nzz\r\n${body}\r\n0\r\n\r\n`],
    ['chunk ok', `POST ${PLAN} HTTP/1.1\r\nhost: x\r\n${auth}content-type: application/json\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n10\r\n${body}\r\n0\r\n\r\n`],
    ['no ct', `POST ${PLAN} HTTP/1.1\r\nhost: x\r\n${auth}connection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`],
    ['no ct chunked', `POST ${PLAN} HTTP/1.1\r\nhost: x\r\n${auth}connection: close\r\ntransfer-encoding: chunked\r\n\r\n10\r\n${body}\r\n0\r\n\r\n`],
    ['no body', `POST ${PLAN} HTTP/1.1\r\nhost: x\r\n${auth}connection: close\r\n\r\n`],
    ['no body length 0', `POST ${PLAN} HTTP/1.1\r\nhost: x\r\n${auth}content-length: 0\r\nconnection: close\r\n\r\n`],
    ['wrong ct no body', `POST ${PLAN} HTTP/1.1\r\nhost: x\r\n${auth}content-type: text/plain\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`],
    ['two ct', `POST ${PLAN} HTTP/1.1\r\nhost: x\r\n${auth}content-type: application/json\r\ncontent-type: text/plain\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`],
    ['two auth', `POST ${PLAN} HTTP/1.1\r\nhost: x\r\n${auth}authorization: bearer x\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`],
    ['two offset', `POST ${PLAN} HTTP/1.1\r\nhost: x\r\n${auth}offset: 1\r\noffset: 2\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`],
    ['two lengths', `POST ${PLAN} HTTP/1.1\r\nhost: x\r\n${auth}content-type: application/json\r\nconnection: close\r\ncontent-length: 5\r\ncontent-length: ${body.length}\r\n\r\n${body}`],
    ['huge declared', `POST ${PLAN} HTTP/1.1\r\nhost: x\r\n${auth}content-type: application/json\r\nconnection: close\r\ncontent-length: 99999999999\r\n\r\n`],
    ['huge declared 2', `POST ${PLAN} HTTP/1.1\r\nhost: x\r\n${auth}content-type: application/json\r\nconnection: close\r\ncontent-length: 99999999999999999999999\r\n\r\n`],
    ['many headers', `GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${Array.from({ length: 3000 }, (_, i) => `a${i}: b\r\n`).join('')}\r\n`],
    ['bare zz', `GET /%zz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`],
    ['bad utf8 url', `GET /design-plan/%ff HTTP/1.1\r\nhost: x\r\n${auth}connection: close\r\n\r\n`],
    ['zz query', `GET /design-plan/1?x=%zz HTTP/1.1\r\nhost: x\r\n${auth}connection: close\r\n\r\n`],
    ['propfind', `PROPFIND ${PLAN} HTTP/1.1\r\nhost: x\r\n${auth}connection: close\r\n\r\n`],
    ['query method', `QUERY ${PLAN} HTTP/1.1\r\nhost: x\r\n${auth}content-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}`],
    ['PUT body', `PUT ${PLAN} HTTP/1.1\r\nhost: x\r\n${auth}content-type: text/plain\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}`],
    ['HEAD 404', `HEAD /nowhere HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`],
    ['lowercase method', `post ${PLAN} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`],
    ['obs fold', `GET /design-plan/1 HTTP/1.1\r\nhost: x\r\nx: a\r\n b\r\nconnection: close\r\n\r\n`],
    ['LF only', `GET /design-plan/1 HTTP/1.1\nhost: x\nconnection: close\n\n`],
    ['tls hello', Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3])],
    ['bad host', `GET /design-plan/1 HTTP/1.1\r\nhost: a b/<c>\r\nconnection: close\r\n\r\n`],
    ['ct tab', `POST ${PLAN} HTTP/1.1\r\nhost: x\r\n${auth}content-type: application/json\tx\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`],
  ];
  for (const [n, r] of raws) out.push(`## ${n}\n${(await send(r)).replace(/\r/g, '').split('\n').filter((l, i, a) => i === 0 || l.startsWith('{') || /^(content-type|cache-control|x-frame|allow|vary|connection):?/i.test(l) || i === a.length).join(' | ').slice(0, 420)}`);
  const call = async (n: string, raw: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) => { const a = await world.call('POST', PLAN, { token: t, raw, headers }); out.push(`## ${n} ${a.status} ${a.text.slice(0, 250)}`); };
  await call('gzip ok', new Uint8Array(gzipSync(body)), { 'content-encoding': 'gzip' });
  await call('gzip header plain', body, { 'content-encoding': 'gzip' });
  await call('identity', body, { 'content-encoding': 'identity' });
  for (const ct of ['application/jsonfoo', 'application/json-patch+json', 'application/json foo', 'application/json;', 'application/json; charset', 'application/json; charset=', 'application/json; charset=utf-8; charset=latin1', "application/json; charset='utf-8'", 'application/json;charset=utf8', 'application/*', '*/*', 'json', 'application/json; boundary=x', 'application/json\t', 'application/json\t;x', 'APPLICATION/JSON', 'application/problem+json', 'application/json,application/json'])
    await call(`ct ${JSON.stringify(ct)}`, body, { 'content-type': ct });
  for (const o of ['-0', '+0', ' 60 ', '060', '1,2', 'NaN', '٦٠', '60;x', '-', '+', '1 2', '\u00a060'].filter((x) => !/[^\x00-\xff]/.test(x))) await call(`offset ${JSON.stringify(o)}`, body, { offset: o });
  for (const b of ['{"planName":null,"name":"B"}', '{"planName":"B","name":null}', '{"planName":"A","name":" A"}', '{"name":5}', '{"name":""}', '{"planName":"A","createdDate":null,"createDate":"2023/08/21"}', '{"planName":"A","appointmentTitle":""}'])
    await call(b, b);
  const s = async (change: object) => { const a = await world.call('POST', '/gateway/profile/caregiver/session', { token: clinic.careProviderToken, body: { clientId: clinic.clientIds[0], title: 'Hello', date: '2027/03/01', time: '09:30', ...change } }); out.push(`## ${JSON.stringify(change)} ${a.status} ${a.text.slice(0, 250)}`); };
  await s({ caregiverId: 0, CareProviderId: clinic.careProviderIds[1] });
  await s({ caregiverId: null, CareProviderId: clinic.careProviderIds[1] });
  await s({ caregiverId: clinic.careProviderIds[1], CareProviderId: 0 });
  await s({ title: null, Title: 'x' });
  await s({ Title: 5, title: undefined });
  await s({ title: '   ' });
  await s({ title: ' x ' });
  await s({ reminders: ['P1.5D'] }); await s({ reminders: ['p1d'] }); await s({ reminders: ['PT0.000000001S'] }); await s({ reminders: [' P1D'] });await s({ reminders: ['\u2212P1D'] });
  for (const q of ['?limit=1&limit=2', '?limit=%zz', '?cursor=' + Buffer.from('["0000-01-01T00:00:00Z",1]').toString('base64url'), '?cursor=' + Buffer.from('["2027-01-01T00:00:00Z",-5]').toString('base64url'), '?cursor=' + Buffer.from('["2027-02-30T00:00:00Z",1]').toString('base64url'), '?cursor=' + Buffer.from('["2027-02-20T23:59:60Z",1]').toString('base64url'), '?cursor=' + Buffer.from('["2027-02-20T23:59:59.123456789123Z",1]').toString('base64url'),'?cursor=', '?limit=', '?seriesId=', '?cursor=' + 'x'.repeat(301), '?limit=%00', '?constructor=1&__proto__=2'])
    { const a = await world.call('GET', '/gateway/profile/caregiver/session' + q, { token: clinic.careProviderToken }); out.push(`## GET ${q.slice(0, 80)} ${a.status} ${a.text.slice(0, 200)}`); }
  process.stdout.write(out.join('\n') + '\n');
});
