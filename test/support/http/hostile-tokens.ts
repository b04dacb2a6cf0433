import { CompactEncrypt, exportJWK, exportSPKI, generateSecret } from 'jose';
import { createHmac, KeyObject, sign as signBytes } from 'node:crypto';
import { createKeyPair, toPublicJwk, type KeyPair } from './key-server.js';

/* Tokens that the service must refuse. They are encoded by hand, because JWT libraries refuse to sign them. */

/** A valid token of the service, and everything that an attacker can know without the signing key. */
export type TokenTarget = {
  alg: 'HS256' | 'RS256';
  kid?: string;
  /** Signs in the same way as the identity provider. */
  sign: (input: string) => Buffer;
  /** The key pair whose public key an attacker knows. For a shared secret, an unrelated key pair. */
  known: KeyPair;
  claims: Record<string, unknown>;
  /** URL of a server to which the service must send no request. */
  trap: string;
};

/** A hostile token, or a request with the token in an unusual place. */
export type HostileToken = { title: string; token: string; authorization?: string | string[]; query?: string };

export const SECONDS_PER_HOUR = 3_600;
const DAY_SECONDS = 24 * SECONDS_PER_HOUR;
const YEAR_SECONDS = 365 * DAY_SECONDS;
export const nowInSeconds = () => Math.floor(Temporal.Now.instant().epochMilliseconds / 1000);
const toBase64url = (text: string | Buffer) => Buffer.from(text).toString('base64url');
const json = (value: unknown) => toBase64url(JSON.stringify(value));

export const toPrivateKeyObject = ({ privateKey }: KeyPair): KeyObject => KeyObject.from(privateKey);
export const hmacSigner =
  (secret: string | Buffer, hash = 'sha256') =>
  (input: string) =>
    createHmac(hash, secret).update(input).digest();
export const rsaSigner =
  (pair: KeyPair, hash = 'sha256') =>
  (input: string) =>
    signBytes(hash, Buffer.from(input), toPrivateKeyObject(pair));

/** Encodes a token. `header` and `payload` are either JSON texts or values to be serialised. */
export function encodeToken(header: unknown, payload: unknown, sign: (input: string) => Buffer | string): string {
  const part = (value: unknown) => (typeof value === 'string' ? toBase64url(value) : json(value));
  const input = `${part(header)}.${part(payload)}`;
  return `${input}.${toBase64url(sign(input))}`;
}

/** Creates all hostile tokens for one target. */
export async function createHostileTokens(target: TokenTarget): Promise<HostileToken[]> {
  const prepared = await Promise.all(
    [createKeyConfusions, createForeignHeaders, createMalformedTokens].map((group) => group(target)),
  );
  return [
    ...prepared,
    ...[
      createUnsignedTokens,
      createWrongClaims,
      createWrongRoles,
      createMisplacedTokens,
      createUnicodeRoles,
      createUnrevocableIds,
      createLenientParserTokens,
    ].map((group) => group(target)),
  ].flat();
}

const headerOf = ({ alg, kid }: TokenTarget) => ({ alg, typ: 'JWT', ...(kid && { kid }) });
const toHostileToken = (title: string, token: string): HostileToken => ({ title, token });
const signToken = (target: TokenTarget, header: unknown, payload: unknown = target.claims) =>
  encodeToken(header, payload, target.sign);
const toTitle = (value: unknown) => (value === undefined ? 'absent' : JSON.stringify(value).slice(0, 30));
const createValidToken = (target: TokenTarget) => signToken(target, headerOf(target));

function createUnsignedTokens(target: TokenTarget): HostileToken[] {
  const [, payload, signature] = createValidToken(target).split('.') as [string, string, string];
  const spellings = ['none', 'None', 'NONE', 'nOnE', 'none ', '', 'null', 'HS0'];
  return [
    ...spellings.map((alg) =>
      toHostileToken(`alg ${JSON.stringify(alg)}`, `${json({ ...headerOf(target), alg })}.${payload}.`),
    ),
    toHostileToken('alg none, with a signature', `${json({ alg: 'none' })}.${payload}.${signature}`),
    toHostileToken('alg none, two parts', `${json({ alg: 'none' })}.${payload}`),
    toHostileToken('alg absent', `${json({ typ: 'JWT' })}.${payload}.${signature}`),
    ...[null, 0, true, ['none'], [target.alg], { name: target.alg }].map((alg) =>
      toHostileToken(`alg ${JSON.stringify(alg)}`, signToken(target, { ...headerOf(target), alg })),
    ),
    toHostileToken('empty signature', `${json(headerOf(target))}.${payload}.`),
    toHostileToken('signature of blanks', `${json(headerOf(target))}.${payload}.${toBase64url('   ')}`),
  ];
}

async function createKeyConfusions(target: TokenTarget): Promise<HostileToken[]> {
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
  const [foreign, ec, p384, p521] = await Promise.all(['RS256', 'ES256', 'ES384', 'ES512'].map(createKeyPair));
  const ecdsa = (pair: KeyPair, hash: string) => (input: string) =>
    signBytes(hash, Buffer.from(input), { key: toPrivateKeyObject(pair), dsaEncoding: 'ieee-p1363' });
  const as = (alg: string, key = kid) => ({ alg, typ: 'JWT', ...(key && { kid: key }) });
  return [
    ...secrets.map(([name, secret]) =>
      toHostileToken(`HS256 with the public key as ${name}`, encodeToken(as('HS256'), claims, hmacSigner(secret))),
    ),
    toHostileToken('HS384', encodeToken(as('HS384'), claims, hmacSigner(pem, 'sha384'))),
    toHostileToken('HS512', encodeToken(as('HS512'), claims, hmacSigner(pem, 'sha512'))),
    toHostileToken('foreign RSA key', encodeToken(as('RS256'), claims, rsaSigner(foreign!))),
    toHostileToken('foreign EC key', encodeToken(as('ES256'), claims, ecdsa(ec!, 'sha256'))),
    toHostileToken(
      'another EC key under the id of an EC key',
      encodeToken(as('ES256', 'ec-1'), claims, ecdsa(ec!, 'sha256')),
    ),
    toHostileToken(
      'ES256 with r and s of 0',
      encodeToken(as('ES256', 'ec-1'), claims, () => Buffer.alloc(64)),
    ),
    toHostileToken(
      'ES256 with r and s of the order',
      encodeToken(as('ES256', 'ec-1'), claims, () => Buffer.alloc(64, 0xff)),
    ),
    toHostileToken(
      'ES256 in DER',
      encodeToken(as('ES256', 'ec-1'), claims, (input) =>
        signBytes('sha256', Buffer.from(input), toPrivateKeyObject(ec!)),
      ),
    ),
    toHostileToken('P-384', encodeToken(as('ES384', 'ec-1'), claims, ecdsa(p384!, 'sha384'))),
    toHostileToken('P-384 called ES256', encodeToken(as('ES256', 'ec-1'), claims, ecdsa(p384!, 'sha256'))),
    toHostileToken('P-521', encodeToken(as('ES512', 'ec-1'), claims, ecdsa(p521!, 'sha512'))),
    toHostileToken('RS256 signature called PS256', encodeToken(as('PS256'), claims, target.sign)),
    toHostileToken('RS256 signature called RS512', encodeToken(as('RS512'), claims, target.sign)),
    toHostileToken(
      'EdDSA',
      encodeToken(as('EdDSA'), claims, () => Buffer.alloc(64)),
    ),
    toHostileToken(
      'RSA signature of zeros',
      encodeToken(as('RS256'), claims, () => Buffer.alloc(256)),
    ),
  ];
}

async function createForeignHeaders({ trap, claims, kid, sign, alg }: TokenTarget): Promise<HostileToken[]> {
  const foreign = await createKeyPair('RS256');
  const jwk = await toPublicJwk(foreign, 'mine', 'RS256');
  const by = (title: string, header: object) =>
    toHostileToken(title, encodeToken({ alg: 'RS256', typ: 'JWT', kid, ...header }, claims, rsaSigner(foreign)));
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
  const extended = (title: string, header: object) =>
    toHostileToken(title, encodeToken({ alg, kid, ...header }, claims, sign));
  return [
    ...kids.map((injected) => by(`kid ${JSON.stringify(injected.slice(0, 30))}`, { kid: injected })),
    ...[1, null, ['rsa-1'], { kid: 'rsa-1' }].map((wrong) => by(`kid ${JSON.stringify(wrong)}`, { kid: wrong })),
    toHostileToken(
      'kid /dev/null, signed with nothing',
      encodeToken({ alg: 'HS256', kid: '/dev/null' }, claims, hmacSigner('')),
    ),
    by('jku', { jku: trap }),
    by('jku, its own kid', { jku: trap, kid: 'mine' }),
    by('x5u', { x5u: trap }),
    by('x5c', { x5c: [toBase64url('certificate')] }),
    by('jwk', { jwk }),
    by('jwk, its own kid', { jwk, kid: 'mine' }),
    by('zip', { zip: 'DEF' }),
    extended('crit with an unknown name', { crit: ['exp-extension'], 'exp-extension': 1 }),
    extended('crit b64', { crit: ['b64'], b64: true }),
    extended('crit empty', { crit: [] }),
    extended('crit text', { crit: 'exp' }),
    extended('crit of a prototype', { crit: ['toString'] }),
    extended('b64 false', { b64: false }),
    toHostileToken('b64 false, unencoded', encodeWithoutBase64({ alg, kid, b64: false, crit: ['b64'] }, claims, sign)),
    extended('type of a logout token', { typ: 'logout+jwt' }),
    extended('type of a proof', { typ: 'dpop+jwt' }),
    extended('type that is no text', { typ: ['JWT'] }),
    toHostileToken(
      'alg twice',
      encodeToken(`{"alg":"none","kid":${JSON.stringify(kid ?? null)},"alg":"${alg}"}`, claims, sign),
    ),
  ];
}

function encodeWithoutBase64(header: object, claims: object, sign: TokenTarget['sign']): string {
  const input = `${json(header)}.${JSON.stringify(claims)}`;
  return `${input}.${toBase64url(sign(input))}`;
}

async function createMalformedTokens(target: TokenTarget): Promise<HostileToken[]> {
  const good = createValidToken(target);
  const [header, payload, signature] = good.split('.') as [string, string, string];
  const jwe = await new CompactEncrypt(Buffer.from(good))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .encrypt(await generateSecret('A256GCM'));
  const flipped = signature.startsWith('A') ? 'B' : 'A';
  const nested = `${'['.repeat(2_000)}${']'.repeat(2_000)}`;
  const within = JSON.stringify(target.claims).slice(1);
  return [
    toHostileToken('truncated', good.slice(0, -5)),
    toHostileToken('without a signature part', `${header}.${payload}`),
    toHostileToken('a changed signature', `${header}.${payload}.${flipped}${signature.slice(1)}`),
    toHostileToken('a changed payload', `${header}.${json({ ...target.claims, clinicId: 999 })}.${signature}`),
    toHostileToken('a JWE', jwe),
    toHostileToken('five parts', `${good}.x.y`),
    toHostileToken('a fourth part', `${good}.${signature}`),
    toHostileToken('a dot behind', `${good}.`),
    toHostileToken('a dot before', `.${good}`),
    toHostileToken('padding', `${header}.${payload}.${signature}=`),
    toHostileToken('padding of the header', `${header}==.${payload}.${signature}`),
    toHostileToken('base64 of the other alphabet', `${header}.${payload}.+/${signature.slice(2)}`),
    toHostileToken('percent encoding', `${header}%2E${payload}%2E${signature}`),
    toHostileToken('a comma', `${good},${good}`),
    toHostileToken('quotes', `"${good}"`),
    toHostileToken('no JSON', encodeToken('header', 'claims', target.sign)),
    toHostileToken('a payload that is no object', signToken(target, headerOf(target), '[]')),
    toHostileToken('a payload that is null', signToken(target, headerOf(target), 'null')),
    toHostileToken('a payload that is text', signToken(target, headerOf(target), '"CLINIC"')),
    toHostileToken('a header that is a list', encodeToken([headerOf(target)], target.claims, target.sign)),
    toHostileToken('an invalid UTF-8 payload', createInvalidUtf8Token(target)),
    toHostileToken('huge, 12 KB', signToken(target, headerOf(target), { ...target.claims, more: 'x'.repeat(9_000) })),
    toHostileToken('huge and unsigned', 'x'.repeat(12_000)),
    toHostileToken('huge, dots alone', '.'.repeat(12_000)),
    toHostileToken('nested 2,000 deep', signToken(target, headerOf(target), `{"deep":${nested},${within}`)),
    toHostileToken(
      'nested 2,000 deep in the header',
      encodeToken(`{"alg":"${target.alg}","deep":${nested}}`, target.claims, target.sign),
    ),
    toHostileToken('the role twice', signToken(target, headerOf(target), `{"role":"ADMIN",${within}`)),
    toHostileToken('the role twice, escaped', signToken(target, headerOf(target), `{"r\\u006fle":"ADMIN",${within}`)),
    toHostileToken('the Clinic twice', signToken(target, headerOf(target), `{"clinicId":999999,${within}`)),
    toHostileToken(
      'the end twice',
      signToken(target, headerOf(target), `{"exp":${nowInSeconds() + 10 * YEAR_SECONDS},${within}`),
    ),
    toHostileToken(
      'something twice, deep inside',
      signToken(target, headerOf(target), `{"a":[{"b":1,"b":2}],${within}`),
    ),
    toHostileToken('data behind the JSON', signToken(target, headerOf(target), `${JSON.stringify(target.claims)}{}`)),
  ];
}

function createInvalidUtf8Token(target: TokenTarget): string {
  const claims = Buffer.from(JSON.stringify({ ...target.claims, more: '??' }).replace('??', '\xff'), 'latin1');
  const input = `${json(headerOf(target))}.${toBase64url(claims)}`;
  return `${input}.${toBase64url(target.sign(input))}`;
}

function createWrongClaims(target: TokenTarget): HostileToken[] {
  const now = nowInSeconds();
  const changes: Record<string, unknown[]> = {
    exp: [
      now - 1,
      0,
      -1,
      now + 10 * YEAR_SECONDS,
      1e300,
      undefined,
      null,
      '',
      String(now + SECONDS_PER_HOUR),
      true,
      [now + SECONDS_PER_HOUR],
      {},
    ],
    nbf: [now + SECONDS_PER_HOUR, 1e300, null, String(now), true, []],
    iat: [now + SECONDS_PER_HOUR, now - 2 * DAY_SECONDS, -1e300, null, String(now), true],
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
    sub: [undefined, null, '', 1, ['person'], {}, 'x'.repeat(256)],
    jti: [null, '', 1, ['a'], {}, 'x'.repeat(256)],
    clinicId: [undefined, null, 0, -1, 1.5, '01', ' 1', '1.0', '1e0', true, [1], {}, 2 ** 53, 1e300],
  };
  const both = { iat: now + 10 * YEAR_SECONDS, exp: now + 10 * YEAR_SECONDS + SECONDS_PER_HOUR };
  return [
    ...Object.entries(changes).flatMap(([claim, values]) =>
      values.map((value) =>
        toHostileToken(
          `${claim} ${toTitle(value)}`,
          signToken(target, headerOf(target), { ...target.claims, [claim]: value }),
        ),
      ),
    ),
    toHostileToken(
      'ten years from now, for an hour',
      signToken(target, headerOf(target), { ...target.claims, ...both }),
    ),
    toHostileToken(
      'an end beyond numbers',
      signToken(
        target,
        headerOf(target),
        JSON.stringify({ ...target.claims, exp: 0 }).replace('"exp":0', '"exp":1e999'),
      ),
    ),
    toHostileToken(
      'more than a day, without a beginning',
      signToken(target, headerOf(target), {
        ...target.claims,
        iat: undefined,
        exp: now + DAY_SECONDS + SECONDS_PER_HOUR,
      }),
    ),
  ];
}

function createWrongRoles(target: TokenTarget): HostileToken[] {
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
    ...roles.map((role) =>
      toHostileToken(`role ${toTitle(role)}`, signToken(target, headerOf(target), { ...target.claims, role })),
    ),
    toHostileToken(
      'a role of the prototype',
      signToken(
        target,
        headerOf(target),
        `{"__proto__":{"role":"ADMIN"},"sub":"x","exp":${nowInSeconds() + SECONDS_PER_HOUR}}`,
      ),
    ),
    toHostileToken(
      'a role called Role',
      signToken(target, headerOf(target), { ...target.claims, role: undefined, Role: 'ADMIN' }),
    ),
    toHostileToken(
      'a role among others',
      signToken(target, headerOf(target), { ...target.claims, role: undefined, roles: ['CLINIC'] }),
    ),
  ];
}

function createMisplacedTokens(target: TokenTarget): HostileToken[] {
  const good = createValidToken(target);
  const sent = (title: string, authorization: string | string[], query = ''): HostileToken => ({
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

/** Creates tokens with roles whose letters become ASCII by case folding, or look like ASCII. */
function createUnicodeRoles(target: TokenTarget): HostileToken[] {
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
    toHostileToken(
      `role of Unicode ${escapeUnicode(role)}`,
      signToken(target, headerOf(target), { ...target.claims, role }),
    ),
  );
}

/** Creates tokens with values of `jti` that the revocation API does not accept. */
function createUnrevocableIds(target: TokenTarget): HostileToken[] {
  const names = ['\u0000', 'a\u0000b', 'a\u0000', '\uD800', 'x\uDC00y', '\uDC00\uD800', '\u{1F600}'.repeat(256)];
  return names.map((jti) =>
    toHostileToken(`jti ${escapeUnicode(jti)}`, signToken(target, headerOf(target), { ...target.claims, jti })),
  );
}

/** Creates tokens that lenient libraries such as jsonwebtoken, jws and passport-jwt accept. */
function createLenientParserTokens(target: TokenTarget): HostileToken[] {
  const header = headerOf(target);
  const claims = JSON.stringify(target.claims);
  const { kid, sign, alg } = target;
  const [first, payload, signature] = createValidToken(target).split('.') as [string, string, string];
  const sent = (title: string, authorization: string | string[], query = ''): HostileToken => ({
    ...{ title, token: '', authorization, query },
  });
  return [
    toHostileToken('claims in a string of JSON', signToken(target, header, JSON.stringify(claims))),
    toHostileToken(
      'claims in a string of JSON, without a type',
      signToken(target, { alg, kid }, JSON.stringify(claims)),
    ),
    toHostileToken('claims in a list', signToken(target, header, `[${claims}]`)),
    ...['1', 'true', '""', '{}'].map((text) => toHostileToken(`a payload of ${text}`, signToken(target, header, text))),
    toHostileToken('a byte order mark before the claims', signToken(target, header, `\uFEFF${claims}`)),
    toHostileToken(
      'a byte order mark before the claims, without a type',
      signToken(target, { alg, kid }, `\uFEFF${claims}`),
    ),
    toHostileToken('a byte order mark before the header', encodeToken(`\uFEFF${JSON.stringify(header)}`, claims, sign)),
    toHostileToken(
      'the type twice',
      encodeToken(`{"typ":"logout+jwt",${JSON.stringify(header).slice(1)}`, claims, sign),
    ),
    toHostileToken(
      'the algorithm of a prototype',
      encodeToken(`{"__proto__":${JSON.stringify(header)}}`, claims, sign),
    ),
    toHostileToken('alg in lower case', signToken(target, { ...header, alg: alg.toLowerCase() })),
    toHostileToken('alg with NUL', signToken(target, { ...header, alg: `${alg}\u0000` })),
    toHostileToken('alg with a blank', signToken(target, { ...header, alg: `${alg} ` })),
    toHostileToken(
      'half a second after its end',
      signToken(target, header, { ...target.claims, exp: nowInSeconds() - 0.5 }),
    ),
    toHostileToken('a pattern of audiences', signToken(target, header, { ...target.claims, aud: '.*' })),
    toHostileToken('a list of audiences in a text', signToken(target, header, { ...target.claims, aud: 'other,care' })),
    toHostileToken('another spelling of the signature', `${first}.${payload}.${changeUnusedBits(signature)}`),
    sent('the scheme JWT', `JWT ${createValidToken(target)}`),
    sent(
      'in queries that extractors read',
      [],
      `?auth_token=${createValidToken(target)}&jwt=${createValidToken(target)}`,
    ),
  ];
}

const escapeUnicode = (text: string) =>
  text
    .slice(0, 20)
    .replaceAll(/[^ -~]/gu, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`)
    .slice(0, 60);

/** Returns a different base64url text for the same bytes, by changing the unused bits of the last character. */
function changeUnusedBits(part: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const last = alphabet.indexOf(part.at(-1)!);
  return part.slice(0, -1) + alphabet[last ^ 1]!;
}
