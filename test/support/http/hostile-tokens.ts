import { CompactEncrypt, exportJWK, exportSPKI, generateSecret } from 'jose';
import { createHmac, KeyObject, sign as signBytes } from 'node:crypto';
import { newKeyPair, publicJwk, type KeyPair } from './key-server.js';

/* Tokens that must not open anything. They are put together by hand, as no library would sign them. */

/** A good token of a service, and what a thief of its configuration, but not of its key, would know. */
export type Target = {
  alg: 'HS256' | 'RS256';
  kid?: string;
  /** Signs as the identity provider does. */
  sign: (input: string) => Buffer;
  /** What everybody can read: the public key, or for a shared secret nothing but some key of that kind. */
  known: KeyPair;
  claims: Record<string, unknown>;
  /** A server that nobody may ask. */
  trap: string;
};

/** What is sent: a token, or a whole request that carries one. */
export type Hostile = { title: string; token: string; authorization?: string | string[]; query?: string };

export const HOUR = 3_600;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;
export const seconds = () => Math.floor(Temporal.Now.instant().epochMilliseconds / 1000);
export const base64url = (text: string | Buffer) => Buffer.from(text).toString('base64url');
const json = (value: unknown) => base64url(JSON.stringify(value));

export const privateKeyOf = ({ privateKey }: KeyPair): KeyObject => KeyObject.from(privateKey);
export const hmac =
  (secret: string | Buffer, hash = 'sha256') =>
  (input: string) =>
    createHmac(hash, secret).update(input).digest();
export const rsa =
  (pair: KeyPair, hash = 'sha256') =>
  (input: string) =>
    signBytes(hash, Buffer.from(input), privateKeyOf(pair));

/** A token in its three parts; `header` and `payload` are JSON texts or what becomes one. */
export function compact(header: unknown, payload: unknown, sign: (input: string) => Buffer | string): string {
  const part = (value: unknown) => (typeof value === 'string' ? base64url(value) : json(value));
  const input = `${part(header)}.${part(payload)}`;
  return `${input}.${base64url(sign(input))}`;
}

/** Every attack, against one target. */
export async function hostileTokens(target: Target): Promise<Hostile[]> {
  const prepared = await Promise.all([confusedKeys, foreignHeaders, brokenForms].map((group) => group(target)));
  return [
    ...prepared,
    ...[unsigned, wrongClaims, wrongRoles, misplaced, unicodeRoles, unrevocable, lenientReaders].map((group) =>
      group(target),
    ),
  ].flat();
}

const headerOf = ({ alg, kid }: Target) => ({ alg, typ: 'JWT', ...(kid && { kid }) });
const one = (title: string, token: string): Hostile => ({ title, token });
const signed = (target: Target, header: unknown, payload: unknown = target.claims) =>
  compact(header, payload, target.sign);
const shown = (value: unknown) => (value === undefined ? 'absent' : JSON.stringify(value).slice(0, 30));
const goodToken = (target: Target) => signed(target, headerOf(target));

function unsigned(target: Target): Hostile[] {
  const [, payload, signature] = goodToken(target).split('.') as [string, string, string];
  const spellings = ['none', 'None', 'NONE', 'nOnE', 'none ', '', 'null', 'HS0'];
  return [
    ...spellings.map((alg) => one(`alg ${JSON.stringify(alg)}`, `${json({ ...headerOf(target), alg })}.${payload}.`)),
    one('alg none, with a signature', `${json({ alg: 'none' })}.${payload}.${signature}`),
    one('alg none, two parts', `${json({ alg: 'none' })}.${payload}`),
    one('alg absent', `${json({ typ: 'JWT' })}.${payload}.${signature}`),
    ...[null, 0, true, ['none'], [target.alg], { name: target.alg }].map((alg) =>
      one(`alg ${JSON.stringify(alg)}`, signed(target, { ...headerOf(target), alg })),
    ),
    one('empty signature', `${json(headerOf(target))}.${payload}.`),
    one('signature of blanks', `${json(headerOf(target))}.${payload}.${base64url('   ')}`),
  ];
}

async function confusedKeys(target: Target): Promise<Hostile[]> {
  const { known, claims, kid } = target;
  const pem = await exportSPKI(known.publicKey);
  const der = KeyObject.from(known.publicKey).export({ type: 'spki', format: 'der' });
  const jwk = JSON.stringify(await exportJWK(known.publicKey));
  const secrets: [string, string | Buffer][] = [
    ['PEM', pem],
    ['PEM without the last line break', pem.trim()],
    ['JWK', jwk],
    ['DER', der],
    ['empty', ''],
    ['key id', kid ?? 'key'],
    ['usual', 'secret'],
  ];
  const [foreign, ec, p384, p521] = await Promise.all(['RS256', 'ES256', 'ES384', 'ES512'].map(newKeyPair));
  const ecdsa = (pair: KeyPair, hash: string) => (input: string) =>
    signBytes(hash, Buffer.from(input), { key: privateKeyOf(pair), dsaEncoding: 'ieee-p1363' });
  const as = (alg: string, key = kid) => ({ alg, typ: 'JWT', ...(key && { kid: key }) });
  return [
    ...secrets.map(([name, secret]) =>
      one(`HS256 with the public key as ${name}`, compact(as('HS256'), claims, hmac(secret))),
    ),
    one('HS384', compact(as('HS384'), claims, hmac(pem, 'sha384'))),
    one('HS512', compact(as('HS512'), claims, hmac(pem, 'sha512'))),
    one('foreign RSA key', compact(as('RS256'), claims, rsa(foreign!))),
    one('foreign EC key', compact(as('ES256'), claims, ecdsa(ec!, 'sha256'))),
    one('another EC key under the id of an EC key', compact(as('ES256', 'ec-1'), claims, ecdsa(ec!, 'sha256'))),
    one(
      'ES256 with r and s of 0',
      compact(as('ES256', 'ec-1'), claims, () => Buffer.alloc(64)),
    ),
    one(
      'ES256 with r and s of the order',
      compact(as('ES256', 'ec-1'), claims, () => Buffer.alloc(64, 0xff)),
    ),
    one(
      'ES256 in DER',
      compact(as('ES256', 'ec-1'), claims, (input) => signBytes('sha256', Buffer.from(input), privateKeyOf(ec!))),
    ),
    one('P-384', compact(as('ES384', 'ec-1'), claims, ecdsa(p384!, 'sha384'))),
    one('P-384 called ES256', compact(as('ES256', 'ec-1'), claims, ecdsa(p384!, 'sha256'))),
    one('P-521', compact(as('ES512', 'ec-1'), claims, ecdsa(p521!, 'sha512'))),
    one('RS256 signature called PS256', compact(as('PS256'), claims, target.sign)),
    one('RS256 signature called RS512', compact(as('RS512'), claims, target.sign)),
    one(
      'EdDSA',
      compact(as('EdDSA'), claims, () => Buffer.alloc(64)),
    ),
    one(
      'RSA signature of zeros',
      compact(as('RS256'), claims, () => Buffer.alloc(256)),
    ),
  ];
}

async function foreignHeaders({ trap, claims, kid, sign, alg }: Target): Promise<Hostile[]> {
  const foreign = await newKeyPair('RS256');
  const jwk = await publicJwk(foreign, 'mine', 'RS256');
  const by = (title: string, header: object) =>
    one(title, compact({ alg: 'RS256', typ: 'JWT', kid, ...header }, claims, rsa(foreign)));
  const kids = [
    '../../../../dev/null',
    "' or '1'='1",
    'key; drop table clinic',
    trap,
    '',
    '\u0000',
    '__proto__',
    'constructor',
    'x'.repeat(2_000),
  ];
  const extended = (title: string, header: object) => one(title, compact({ alg, kid, ...header }, claims, sign));
  return [
    ...kids.map((injected) => by(`kid ${JSON.stringify(injected.slice(0, 30))}`, { kid: injected })),
    ...[1, null, ['rsa-1'], { kid: 'rsa-1' }].map((wrong) => by(`kid ${JSON.stringify(wrong)}`, { kid: wrong })),
    one('kid /dev/null, signed with nothing', compact({ alg: 'HS256', kid: '/dev/null' }, claims, hmac(''))),
    by('jku', { jku: trap }),
    by('jku, its own kid', { jku: trap, kid: 'mine' }),
    by('x5u', { x5u: trap }),
    by('x5c', { x5c: [base64url('certificate')] }),
    by('jwk', { jwk }),
    by('jwk, its own kid', { jwk, kid: 'mine' }),
    by('zip', { zip: 'DEF' }),
    extended('crit that nobody knows', { crit: ['exp-extension'], 'exp-extension': 1 }),
    extended('crit b64', { crit: ['b64'], b64: true }),
    extended('crit empty', { crit: [] }),
    extended('crit text', { crit: 'exp' }),
    extended('crit of a prototype', { crit: ['toString'] }),
    extended('b64 false', { b64: false }),
    one('b64 false, unencoded', unencoded({ alg, kid, b64: false, crit: ['b64'] }, claims, sign)),
    extended('type of a logout token', { typ: 'logout+jwt' }),
    extended('type of a proof', { typ: 'dpop+jwt' }),
    extended('type that is no text', { typ: ['JWT'] }),
    one('alg twice', compact(`{"alg":"none","kid":${JSON.stringify(kid ?? null)},"alg":"${alg}"}`, claims, sign)),
  ];
}

function unencoded(header: object, claims: object, sign: Target['sign']): string {
  const input = `${json(header)}.${JSON.stringify(claims)}`;
  return `${input}.${base64url(sign(input))}`;
}

async function brokenForms(target: Target): Promise<Hostile[]> {
  const good = goodToken(target);
  const [header, payload, signature] = good.split('.') as [string, string, string];
  const jwe = await new CompactEncrypt(Buffer.from(good))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .encrypt(await generateSecret('A256GCM'));
  const flipped = signature.startsWith('A') ? 'B' : 'A';
  const nested = `${'['.repeat(2_000)}${']'.repeat(2_000)}`;
  const within = JSON.stringify(target.claims).slice(1);
  return [
    one('truncated', good.slice(0, -5)),
    one('without a signature part', `${header}.${payload}`),
    one('a changed signature', `${header}.${payload}.${flipped}${signature.slice(1)}`),
    one('a changed payload', `${header}.${json({ ...target.claims, clinicId: 999 })}.${signature}`),
    one('a JWE', jwe),
    one('five parts', `${good}.x.y`),
    one('a fourth part', `${good}.${signature}`),
    one('a dot behind', `${good}.`),
    one('a dot before', `.${good}`),
    one('padding', `${header}.${payload}.${signature}=`),
    one('padding of the header', `${header}==.${payload}.${signature}`),
    one('base64 of the other alphabet', `${header}.${payload}.+/${signature.slice(2)}`),
    one('percent encoding', `${header}%2E${payload}%2E${signature}`),
    one('a comma', `${good},${good}`),
    one('quotes', `"${good}"`),
    one('no JSON', compact('header', 'claims', target.sign)),
    one('a payload that is no object', signed(target, headerOf(target), '[]')),
    one('a payload that is null', signed(target, headerOf(target), 'null')),
    one('a payload that is text', signed(target, headerOf(target), '"CLINIC"')),
    one('a header that is a list', compact([headerOf(target)], target.claims, target.sign)),
    one('an invalid UTF-8 payload', malformedText(target)),
    one('huge, 12 KB', signed(target, headerOf(target), { ...target.claims, more: 'x'.repeat(9_000) })),
    one('huge and unsigned', 'x'.repeat(12_000)),
    one('huge, dots alone', '.'.repeat(12_000)),
    one('nested 2,000 deep', signed(target, headerOf(target), `{"deep":${nested},${within}`)),
    one(
      'nested 2,000 deep in the header',
      compact(`{"alg":"${target.alg}","deep":${nested}}`, target.claims, target.sign),
    ),
    one('the role twice', signed(target, headerOf(target), `{"role":"ADMIN",${within}`)),
    one('the role twice, escaped', signed(target, headerOf(target), `{"r\\u006fle":"ADMIN",${within}`)),
    one('the Clinic twice', signed(target, headerOf(target), `{"clinicId":999999,${within}`)),
    one('the end twice', signed(target, headerOf(target), `{"exp":${seconds() + 10 * YEAR},${within}`)),
    one('something twice, deep inside', signed(target, headerOf(target), `{"a":[{"b":1,"b":2}],${within}`)),
    one('data behind the JSON', signed(target, headerOf(target), `${JSON.stringify(target.claims)}{}`)),
  ];
}

function malformedText(target: Target): string {
  const claims = Buffer.from(JSON.stringify({ ...target.claims, more: '??' }).replace('??', '\xff'), 'latin1');
  const input = `${json(headerOf(target))}.${base64url(claims)}`;
  return `${input}.${base64url(target.sign(input))}`;
}

function wrongClaims(target: Target): Hostile[] {
  const now = seconds();
  const changes: Record<string, unknown[]> = {
    exp: [now - 1, 0, -1, now + 10 * YEAR, 1e300, undefined, null, '', String(now + HOUR), true, [now + HOUR], {}],
    nbf: [now + HOUR, 1e300, null, String(now), true, []],
    iat: [now + HOUR, now - 2 * DAY, -1e300, null, String(now), true],
    iss: [
      undefined,
      null,
      'https://evil.example',
      'https://id.example.org/',
      'HTTPS://ID.EXAMPLE.ORG',
      ['https://id.example.org'],
      {},
    ],
    aud: [undefined, null, 'other', 'Care', 'care ', [], ['other'], [['care']], { care: true }],
    sub: [undefined, null, '', 1, ['somebody'], {}, 'x'.repeat(256)],
    jti: [null, '', 1, ['a'], {}, 'x'.repeat(256)],
    clinicId: [undefined, null, 0, -1, 1.5, '01', ' 1', '1.0', '1e0', true, [1], {}, 2 ** 53, 1e300],
  };
  const both = { iat: now + 10 * YEAR, exp: now + 10 * YEAR + HOUR };
  return [
    ...Object.entries(changes).flatMap(([claim, values]) =>
      values.map((value) =>
        one(`${claim} ${shown(value)}`, signed(target, headerOf(target), { ...target.claims, [claim]: value })),
      ),
    ),
    one('ten years from now, for an hour', signed(target, headerOf(target), { ...target.claims, ...both })),
    one(
      'an end beyond numbers',
      signed(target, headerOf(target), JSON.stringify({ ...target.claims, exp: 0 }).replace('"exp":0', '"exp":1e999')),
    ),
    one(
      'more than a day, without a beginning',
      signed(target, headerOf(target), { ...target.claims, iat: undefined, exp: now + DAY + HOUR }),
    ),
  ];
}

function wrongRoles(target: Target): Hostile[] {
  const roles: unknown[] = [
    undefined,
    null,
    '',
    ' ',
    'CLINIC ',
    ' ADMIN',
    'ADMIN\u0000',
    'ADMIN,CLINIC',
    'ADMIN CLINIC',
    'ROLE_ROLE_ADMIN',
    'ROLE_',
    'ADMİN',
    'АDMIN',
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    '*',
    'PUBLIC',
    'root',
    0,
    3,
    true,
    [],
    ['ADMIN'],
    ['CLINIC'],
    ['CLINIC', 'ADMIN'],
    { ADMIN: true },
    { toString: 'ADMIN' },
    [['ADMIN']],
  ];
  return [
    ...roles.map((role) => one(`role ${shown(role)}`, signed(target, headerOf(target), { ...target.claims, role }))),
    one(
      'a role of the prototype',
      signed(target, headerOf(target), `{"__proto__":{"role":"ADMIN"},"sub":"x","exp":${seconds() + HOUR}}`),
    ),
    one('a role called Role', signed(target, headerOf(target), { ...target.claims, role: undefined, Role: 'ADMIN' })),
    one(
      'a role among others',
      signed(target, headerOf(target), { ...target.claims, role: undefined, roles: ['CLINIC'] }),
    ),
  ];
}

function misplaced(target: Target): Hostile[] {
  const good = goodToken(target);
  const sent = (title: string, authorization: string | string[], query = ''): Hostile => ({
    title,
    token: '',
    authorization,
    query,
  });
  return [
    sent('two headers, the good one first', [`Bearer ${good}`, 'Bearer x']),
    sent('two headers, the good one last', ['Bearer x', `Bearer ${good}`]),
    sent('two equal headers', [`Bearer ${good}`, `Bearer ${good}`]),
    sent('two tokens in one header', `Bearer ${good} ${good}`),
    sent('two schemes in one header', `Basic x, Bearer ${good}`),
    sent('without a scheme', good),
    sent('a tab', `Bearer\t${good}`),
    sent('a blank within', `Bearer ${good.slice(0, 40)} ${good.slice(40)}`),
    sent('another scheme', `Basic ${good}`),
    sent('a scheme that begins alike', `BearerX ${good}`),
    sent('in the query', 'Bearer x', `?access_token=${good}`),
    sent('in the query alone', [], `?access_token=${good}&token=${good}&authorization=Bearer%20${good}`),
  ];
}

/** Letters that upper case folds into those of a role, or that look like them. */
function unicodeRoles(target: Target): Hostile[] {
  const roles = [
    'adm\u0131n',
    'ADM\u0131N',
    'role_adm\u0131n',
    'cl\u0131n\u0131c',
    'CL\u0131NIC',
    'cl\u0131ent',
    'careprov\u0131der',
    'care_prov\u0131der',
    'ADM\u0130N',
    'ADMI\u0307N',
    'CLI\u200BNIC',
    '\uFF23\uFF2C\uFF29\uFF2E\uFF29\uFF23',
    '\u216DLINIC',
    'CLINI\u03F9',
    'CLINIC\u0000',
    '\uFEFFCLINIC',
    'CLINIC\n',
    'CLINI\uD800',
  ];
  return roles.map((role) =>
    one(`role of Unicode ${escaped(role)}`, signed(target, headerOf(target), { ...target.claims, role })),
  );
}

/** Names that an administrator could not revoke a token by. */
function unrevocable(target: Target): Hostile[] {
  const names = ['\u0000', 'a\u0000b', 'a\u0000', '\uD800', 'x\uDC00y', '\uDC00\uD800', '\u{1F600}'.repeat(256)];
  return names.map((jti) => one(`jti ${escaped(jti)}`, signed(target, headerOf(target), { ...target.claims, jti })));
}

/** What a library that is more lenient than its reader would take: jsonwebtoken, jws and passport-jwt among them. */
function lenientReaders(target: Target): Hostile[] {
  const header = headerOf(target);
  const claims = JSON.stringify(target.claims);
  const { kid, sign, alg } = target;
  const [first, payload, signature] = goodToken(target).split('.') as [string, string, string];
  const sent = (title: string, authorization: string | string[], query = ''): Hostile => ({
    ...{ title, token: '', authorization, query },
  });
  return [
    one('claims in a string of JSON', signed(target, header, JSON.stringify(claims))),
    one('claims in a string of JSON, without a type', signed(target, { alg, kid }, JSON.stringify(claims))),
    one('claims in a list', signed(target, header, `[${claims}]`)),
    ...['1', 'true', '""', '{}'].map((text) => one(`a payload of ${text}`, signed(target, header, text))),
    one('a byte order mark before the claims', signed(target, header, `\uFEFF${claims}`)),
    one('a byte order mark before the claims, without a type', signed(target, { alg, kid }, `\uFEFF${claims}`)),
    one('a byte order mark before the header', compact(`\uFEFF${JSON.stringify(header)}`, claims, sign)),
    one('the type twice', compact(`{"typ":"logout+jwt",${JSON.stringify(header).slice(1)}`, claims, sign)),
    one('the algorithm of a prototype', compact(`{"__proto__":${JSON.stringify(header)}}`, claims, sign)),
    one('alg in lower case', signed(target, { ...header, alg: alg.toLowerCase() })),
    one('alg with NUL', signed(target, { ...header, alg: `${alg}\u0000` })),
    one('alg with a blank', signed(target, { ...header, alg: `${alg} ` })),
    one('half a second after its end', signed(target, header, { ...target.claims, exp: seconds() - 0.5 })),
    one('a pattern of audiences', signed(target, header, { ...target.claims, aud: '.*' })),
    one('a list of audiences in a text', signed(target, header, { ...target.claims, aud: 'other,care' })),
    one('another spelling of the signature', `${first}.${payload}.${otherSpelling(signature)}`),
    sent('the scheme JWT', `JWT ${goodToken(target)}`),
    sent('in queries that extractors read', [], `?auth_token=${goodToken(target)}&jwt=${goodToken(target)}`),
  ];
}

const escaped = (text: string) =>
  text
    .slice(0, 20)
    .replaceAll(/[^ -~]/gu, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`)
    .slice(0, 60);

/** The same bytes in base64url whose last character has other unused bits. */
function otherSpelling(part: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const last = alphabet.indexOf(part.at(-1)!);
  return part.slice(0, -1) + alphabet[last ^ 1]!;
}
