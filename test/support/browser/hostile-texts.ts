import { decodeJwt, SignJWT } from 'jose';
import { getSigningSecret } from '../../../src/auth/index.js';
import type { Role } from '../../../src/shared/access/index.js';
import { Environment } from '../../../src/shared/config/env.js';
import type { DemonstrationApp } from '../app/demonstration-app.js';
import { CONSOLE_TIME } from './console-page.js';

/** The global variable that each text sets if the browser treats it as markup or as a script. */
export const MARK = 'hostileRan';
const CORPUS = [
  `"><img src=x onerror=window.${MARK}=1>`,
  `</title></textarea></style><script>window.${MARK}=2</script>`,
  `<svg/onload=window.${MARK}=3>`,
  `'-(window.${MARK}=4)-'`,
  `{{constructor.constructor('window.${MARK}=5')()}}`,
  `<iframe srcdoc="<script>parent.${MARK}=6</script>">`,
  `javascript:window.${MARK}=7//`,
  `<a href="javascript:window.${MARK}=8">x</a><base href=//evil.example>`,
  `"autofocus onfocus=window.${MARK}=9 x="`,
  `<math><mtext><style><img src onerror=window.${MARK}=10>`,
  `\u202E<img src=x onerror=window.${MARK}=11>`,
  `<form action=//evil.example><button formaction=//evil.example>x`,
];
let next = 0;
export const hostile = () => CORPUS[(next += 1) % CORPUS.length]!;

const [CLINIC, CARE_PROVIDER, ADMIN] = ['/gateway/profile/clinic', '/gateway/profile/caregiver', '/gateway/admin'];
const HOSTILE_ADDRESS = `https://example.org/'onmouseover='window.${MARK}=12`;

/** Sends a request, and returns the id of the record that it creates. @throws Error if it is refused */
export async function send(
  app: DemonstrationApp,
  role: Role,
  method: string,
  path: string,
  body?: unknown,
  more: Record<string, string> = {},
) {
  const authorization = `bearer ${await createToken(app, role)}`;
  const type = typeof body === 'string' ? 'application/x-ndjson' : 'application/json';
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const headers = { authorization, ...(body !== undefined && { 'content-type': type }), ...more };
  const response = await fetch(app.url + path, { method, headers, ...(body !== undefined && { body: text }) });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return Number(/\d+$/.exec(response.headers.get('location') ?? '')?.[0]);
}

/** A token whose subject is hostile: the audit trail keeps the subject of each caller. */
async function createToken(app: DemonstrationApp, role: Role): Promise<string> {
  const secret = getSigningSecret(app.nest.get(Environment).token);
  const claims = { ...decodeJwt(await app.createToken(role)), sub: hostile() };
  return new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).sign(Buffer.from(secret!));
}

/** Writes hostile text into each text field of the records that the people of the demonstration see. */
export async function writeHostileTexts(app: DemonstrationApp): Promise<void> {
  const person = () => ({ name: hostile(), externalId: hostile() });
  await send(app, 'ADMIN', 'PATCH', `${ADMIN}/clinic/1`, person());
  for (const path of ['care-provider/1', 'care-provider/2', 'client/1', 'client/2'])
    await send(app, 'CLINIC', 'PATCH', `${CLINIC}/${path}`, person());
  const book = () => ({ title: hostile(), description: hostile(), externalId: hostile(), link: HOSTILE_ADDRESS });
  await send(app, 'ADMIN', 'POST', `${ADMIN}/book`, book());
  const bookId = await send(app, 'CLINIC', 'POST', `${CLINIC}/book`, book());
  const assignments = [{ bookId, assignReminds: [{ reminderDay: 2, time: '20:00' }] }];
  const plan = () => ({
    ...{ planName: hostile(), appointmentTitle: hostile(), appointmentDesc: hostile() },
    weeks: [
      { name: hostile(), assignments },
      { name: hostile(), assignments },
    ],
  });
  const planId = await send(app, 'CLINIC', 'POST', `${CLINIC}/design-plan`, plan());
  const tomorrow = Temporal.Instant.from(CONSOLE_TIME).toZonedDateTimeISO('Europe/London').add({ days: 1 });
  const date = tomorrow.toPlainDate().toString().replaceAll('-', '/');
  const first = { clientId: 1, date, time: '07:05' };
  await send(app, 'CARE_PROVIDER', 'POST', `${CARE_PROVIDER}/design-plan/${planId}/apply`, first);
  // A second revision, so that there are texts to compare.
  await send(app, 'CLINIC', 'PUT', `${CLINIC}/design-plan/${planId}`, plan(), { 'if-match': '"1"' });
  const session = { ...first, title: hostile(), description: hostile() };
  await send(app, 'CARE_PROVIDER', 'POST', `${CARE_PROVIDER}/session`, { ...session, time: '06:15', remindDays: 0 });
  await send(app, 'CARE_PROVIDER', 'POST', `${CARE_PROVIDER}/session`, { ...session, time: '05:15' });
  const { body: page } = await app.get(`${CARE_PROVIDER}/session?limit=100&status=SCHEDULED`, 'CARE_PROVIDER');
  const { id } = (page as { items: { id: number; title: string }[] }).items.find(
    ({ title }) => title === session.title,
  )!;
  const cancellation = { reason: 'OTHER', note: hostile() };
  await send(app, 'CARE_PROVIDER', 'POST', `${CARE_PROVIDER}/session/${id}/cancel`, cancellation);
  // Messages then have the titles.
  await send(app, 'CLINIC', 'PUT', `${CLINIC}/reminder-preference`, { revealing: true });
  await send(app, 'CLINIC', 'POST', `${CLINIC}/client/import`, toImportLines());
}

/** NDJSON lines of an import, with hostile texts and one hostile field name. Only the first line is valid. */
export function toImportLines(): string {
  const lines = [
    { externalId: hostile(), name: hostile() },
    { externalId: hostile(), name: hostile(), timeZone: hostile(), email: hostile(), locale: hostile() },
    { externalId: hostile(), name: hostile(), [hostile()]: hostile() },
    { externalId: hostile(), name: hostile(), careProviderExternalIds: [hostile()] },
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}
