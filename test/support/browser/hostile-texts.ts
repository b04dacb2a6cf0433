import { decodeJwt, SignJWT } from 'jose';
import { getOrCreateSigningSecret } from '../../../src/auth/index.js';
import type { Role } from '../../../src/shared/access/index.js';
import { Environment } from '../../../src/shared/config/env.js';
import type { DemonstrationApp } from '../app/demonstration-app.js';
import { CONSOLE_TIME } from './console-page.js';

/** Name of the global variable that each text sets if the browser treats the text as markup or as a script. */
export const HOSTILE_MARK = 'hostileRan';
const CORPUS = [
  `"><img src=x onerror=window.${HOSTILE_MARK}=1>`,
  `</title></textarea></style><script>window.${HOSTILE_MARK}=2</script>`,
  `<svg/onload=window.${HOSTILE_MARK}=3>`,
  `'-(window.${HOSTILE_MARK}=4)-'`,
  `{{constructor.constructor('window.${HOSTILE_MARK}=5')()}}`,
  `<iframe srcdoc="<script>parent.${HOSTILE_MARK}=6</script>">`,
  `javascript:window.${HOSTILE_MARK}=7//`,
  `<a href="javascript:window.${HOSTILE_MARK}=8">x</a><base href=//evil.example>`,
  `"autofocus onfocus=window.${HOSTILE_MARK}=9 x="`,
  `<math><mtext><style><img src onerror=window.${HOSTILE_MARK}=10>`,
  `\u202E<img src=x onerror=window.${HOSTILE_MARK}=11>`,
  `<form action=//evil.example><button formaction=//evil.example>x`,
];
let next = 0;
export const nextHostileText = () => CORPUS[(next += 1) % CORPUS.length]!;

const [CLINIC, CARE_PROVIDER, ADMIN] = ['/gateway/profile/clinic', '/gateway/profile/caregiver', '/gateway/admin'];
const HOSTILE_ADDRESS = `https://example.org/'onmouseover='window.${HOSTILE_MARK}=12`;

/**
 * Sends a request and returns the ID of the created record.
 *
 * @throws Error if the request is refused
 */
export async function sendAndReadId(
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

/** Creates a token with a hostile subject, because the audit trail shows the subject of each caller. */
async function createToken(app: DemonstrationApp, role: Role): Promise<string> {
  const secret = getOrCreateSigningSecret(app.nest.get(Environment).token);
  const claims = { ...decodeJwt(await app.createToken(role)), sub: nextHostileText() };
  return new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).sign(Buffer.from(secret!));
}

/** Fills every text field that demonstration users can see with hostile input, such as markup. */
export async function writeHostileTexts(app: DemonstrationApp): Promise<void> {
  const person = () => ({ name: nextHostileText(), externalId: nextHostileText() });
  await sendAndReadId(app, 'ADMIN', 'PATCH', `${ADMIN}/clinic/1`, person());
  for (const path of ['care-provider/1', 'care-provider/2', 'client/1', 'client/2'])
    await sendAndReadId(app, 'CLINIC', 'PATCH', `${CLINIC}/${path}`, person());
  const book = () => ({
    title: nextHostileText(),
    description: nextHostileText(),
    externalId: nextHostileText(),
    link: HOSTILE_ADDRESS,
  });
  await sendAndReadId(app, 'ADMIN', 'POST', `${ADMIN}/book`, book());
  const bookId = await sendAndReadId(app, 'CLINIC', 'POST', `${CLINIC}/book`, book());
  const assignments = [{ bookId, assignReminds: [{ reminderDay: 2, time: '20:00' }] }];
  const plan = () => ({
    ...{ planName: nextHostileText(), appointmentTitle: nextHostileText(), appointmentDesc: nextHostileText() },
    weeks: [
      { name: nextHostileText(), assignments },
      { name: nextHostileText(), assignments },
    ],
  });
  const planId = await sendAndReadId(app, 'CLINIC', 'POST', `${CLINIC}/design-plan`, plan());
  const tomorrow = Temporal.Instant.from(CONSOLE_TIME).toZonedDateTimeISO('Europe/London').add({ days: 1 });
  const date = tomorrow.toPlainDate().toString().replaceAll('-', '/');
  const first = { clientId: 1, date, time: '07:05' };
  await sendAndReadId(app, 'CARE_PROVIDER', 'POST', `${CARE_PROVIDER}/design-plan/${planId}/apply`, first);
  // Creates a second revision, so that there are texts to compare.
  await sendAndReadId(app, 'CLINIC', 'PUT', `${CLINIC}/design-plan/${planId}`, plan(), { 'if-match': '"1"' });
  const session = { ...first, title: nextHostileText(), description: nextHostileText() };
  await sendAndReadId(app, 'CARE_PROVIDER', 'POST', `${CARE_PROVIDER}/session`, {
    ...session,
    time: '06:15',
    remindDays: 0,
  });
  await sendAndReadId(app, 'CARE_PROVIDER', 'POST', `${CARE_PROVIDER}/session`, { ...session, time: '05:15' });
  const { body: page } = await app.get(`${CARE_PROVIDER}/session?limit=100&status=SCHEDULED`, 'CARE_PROVIDER');
  const { id } = (page as { items: { id: number; title: string }[] }).items.find(
    ({ title }) => title === session.title,
  )!;
  const cancellation = { reason: 'OTHER', note: nextHostileText() };
  await sendAndReadId(app, 'CARE_PROVIDER', 'POST', `${CARE_PROVIDER}/session/${id}/cancel`, cancellation);
  // With this preference, messages contain the hostile titles.
  await sendAndReadId(app, 'CLINIC', 'PUT', `${CLINIC}/reminder-preference`, { revealing: true });
  await sendAndReadId(app, 'CLINIC', 'POST', `${CLINIC}/client/import`, createHostileImportLines());
}

/** Returns NDJSON lines for an import, with hostile texts and one hostile field name. Only the first line is valid. */
export function createHostileImportLines(): string {
  const lines = [
    { externalId: nextHostileText(), name: nextHostileText() },
    {
      externalId: nextHostileText(),
      name: nextHostileText(),
      timeZone: nextHostileText(),
      email: nextHostileText(),
      locale: nextHostileText(),
    },
    { externalId: nextHostileText(), name: nextHostileText(), [nextHostileText()]: nextHostileText() },
    { externalId: nextHostileText(), name: nextHostileText(), careProviderExternalIds: [nextHostileText()] },
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}
