import { ForbiddenError, UnauthenticatedError } from '../../shared/errors/index.js';
import {
  readFirstPrincipal,
  readPrincipal,
  readRecordId,
  readRegisteredClaims,
  subjectSchema,
  type ActingRole,
} from './token-claims.js';

const PATHS = { role: 'role', clinicId: 'clinicId', caregiverId: 'caregiverId', clientId: 'clientId' };
const claims = (change: object) => ({ sub: 'someone', exp: 1, ...change });
/** Returns the principal, or undefined if the token is refused. */
const readClaims = (given: object, paths = PATHS, acting?: ActingRole) => {
  try {
    return readPrincipal(given, paths, acting);
  } catch (error) {
    if (error instanceof UnauthenticatedError) return undefined;
    throw error;
  }
};
const read = (change: object, paths = PATHS, acting?: ActingRole) => readClaims(claims(change), paths, acting);

it.each([
  ['CLINIC', 'CLINIC'],
  ['clinic', 'CLINIC'],
  ['ROLE_CLINIC', 'CLINIC'],
  ['role_Clinic', 'CLINIC'],
  ['CARE_PROVIDER', 'CARE_PROVIDER'],
  ['caregiver', 'CARE_PROVIDER'],
  ['CareProvider', 'CARE_PROVIDER'],
  ['ROLE_CAREGIVER', 'CARE_PROVIDER'],
  ['client', 'CLIENT'],
  ['Admin', 'ADMIN'],
])('the role %s is read as %s', (role, expected) => {
  expect(readPrincipal(claims({ role, clinicId: 1, caregiverId: 2, clientId: 3 }), PATHS).role).toBe(expected);
});

it.each([undefined, null, '', 'ROOT', 'ROLE_ROLE_CLINIC', 'CLINROLE_IC', 'CLINIC ', ['CLINIC'], { CLINIC: true }, 1])(
  'refuses the role %j',
  (role) => {
    expect(read({ role, clinicId: 1 })).toBeUndefined();
  },
);

it.each(['adm\u0131n', 'ADM\u0130N', 'cl\u0131n\u0131c', 'role_cl\u0131ent', 'CLI\u200BNIC', '\uFF21DMIN'])(
  'reads roles in ASCII alone, whatever upper case makes of %j',
  (written) => {
    const all = { clinicId: 1, caregiverId: 2, clientId: 3 };
    expect(read({ role: written, ...all })).toBeUndefined();
    expect(read({ roles: ['offline_access', written], ...all }, { ...PATHS, role: 'roles' })).toBeUndefined();
  },
);

it.each([
  ['CLINIC', 'clinicId'],
  ['CARE_PROVIDER', 'caregiverId'],
  ['CLIENT', 'clientId'],
])('%s needs %s, an integer of 1 or more, also as text', (role, claim) => {
  expect(read({ role, [claim]: 7 })).toEqual({ role, subject: 'someone', [claim]: 7 });
  expect(read({ role, [claim]: '7' })).toEqual({ role, subject: 'someone', [claim]: 7 });
  for (const id of [undefined, null, 0, -1, 1.5, '0', '07', '7.0', ' 7', '7e0', '+7', '\u0667', '', 2 ** 53, [7]]) {
    expect(read({ role, [claim]: id })).toBeUndefined();
  }
});

it.each<[string, unknown]>([
  ['SUBJECT', { exp: 1 }],
  ['SUBJECT', { sub: '', exp: 1 }],
  ['SUBJECT', { sub: 'x'.repeat(256), exp: 1 }],
  ['SUBJECT', { sub: 'a\0b', exp: 1 }],
  ['SUBJECT', { sub: 'a\ud800', exp: 1 }],
  ['EXPIRY', { sub: 'x' }],
  ['EXPIRY', { sub: 'x', exp: '1' }],
  ['ISSUED_AT', { sub: 'x', exp: 1, iat: '1' }],
  ['TOKEN_ID', { sub: 'x', exp: 1, jti: '' }],
  ['TOKEN_ID', { sub: 'x', exp: 1, jti: 5 }],
  ['NOT_PLAIN_JSON', null],
  ['NOT_PLAIN_JSON', 'x'],
])('is refused for %s with the claims %j', (reason, given) => {
  expect(() => readRegisteredClaims(given)).toThrow(expect.objectContaining({ reason }));
});

it.each<[string, object]>([
  ['ROLE', { role: 'ROOT' }],
  ['RECORD', { role: 'CLINIC' }],
])('is refused for %s with the claims %j', (reason, change) => {
  expect(() => readPrincipal(claims(change), PATHS)).toThrow(expect.objectContaining({ reason }));
});

it('reads subjects of 1 to 255 characters for the revocation of tokens', () => {
  const isSubject = (text: string) => subjectSchema.safeParse(text).success;
  expect(['', 'x', 'x'.repeat(255), 'x'.repeat(256)].map(isSubject)).toEqual([false, true, true, false]);
});

it('reads the record id of a role, which administrators do not have', () => {
  const given = claims({ clinicId: 7, undefined: 8 });
  expect([readRecordId(given, PATHS, 'CLINIC'), readRecordId(given, PATHS, 'CLIENT')]).toEqual([7, undefined]);
  expect(readRecordId(given, PATHS, 'ADMIN')).toBeNull();
});

it('requires a subject and an expiry', () => {
  expect(readClaims({ role: 'ADMIN', exp: 1 })).toBeUndefined();
  expect(readClaims({ role: 'ADMIN', sub: 'x' })).toBeUndefined();
  expect(read({ role: 'ADMIN', sub: '' })).toBeUndefined();
  expect(read({ role: 'ADMIN', sub: 'x' })).toEqual({ role: 'ADMIN', subject: 'x' });
});

it.each<[unknown, boolean]>([
  [undefined, true],
  ['x', true],
  ['x'.repeat(255), true],
  ['', false],
  ['x'.repeat(256), false],
  [1, false],
  [null, false],
  ['\u{1F600}'.repeat(255), true],
  ['\u{1F600}'.repeat(256), false],
  ['a\0b', false],
  ['\uD800', false],
])('accepts the jti %j: %s', (jti, expected) => {
  expect(read({ role: 'ADMIN', jti }) !== undefined).toBe(expected);
});

describe('the role claim of an identity provider', () => {
  it.each<[string, object]>([
    ['roles', { roles: ['offline_access', 'Clinic'] }],
    ['realm_access.roles', { realm_access: { roles: ['uma_authorization', 'ROLE_CLINIC', 'clinic'] } }],
    ['cognito:groups', { 'cognito:groups': ['CLINIC'] }],
    ['scope', { scope: 'openid profile clinic' }],
    ['https://care.example.org/roles', { 'https://care.example.org/roles': ['CLINIC'] }],
  ])('finds the known role in %s', (role, at) => {
    expect(read({ ...at, clinicId: 7 }, { ...PATHS, role })).toEqual({
      role: 'CLINIC',
      subject: 'someone',
      clinicId: 7,
    });
  });

  it.each<[string, unknown]>([
    ['two', ['CLINIC', 'ADMIN']],
    ['two in one text', 'CLINIC ADMIN'],
    ['none', ['offline_access']],
    ['an empty list', []],
    ['a list in a list', [['CLINIC']]],
    ['something else beside it', ['CLINIC', 1]],
    ['an object', { CLINIC: true }],
    ['nothing', undefined],
  ])('finds no role in %s', (_, roles) => {
    expect(read({ roles, role: 'CLINIC', clinicId: 7 }, { ...PATHS, role: 'roles' })).toBeUndefined();
  });

  it.each(['__proto__', 'constructor.name', 'realm_access.constructor.name', 'list.length', 'list.0', 'role.length'])(
    'does not follow %s into what is no claim',
    (role) => {
      const more = { realm_access: {}, list: ['CLINIC'], role: 'CLINIC', clinicId: 7 };
      expect(read(more, { ...PATHS, role })).toBeUndefined();
    },
  );

  it('reads record ids from configured claims, also as text', () => {
    const paths = { ...PATHS, clinicId: 'custom:clinic' };
    for (const id of [7, '7', '70', '9007199254740991'])
      expect(read({ role: 'CLINIC', 'custom:clinic': id }, paths)).toMatchObject({ clinicId: Number(id) });
    for (const id of ['', '07', '7.0', ' 7', '-7', '0x7', '9'.repeat(16), ['7'], true]) {
      expect(read({ role: 'CLINIC', 'custom:clinic': id }, paths)).toBeUndefined();
    }
    expect(read({ role: 'CLINIC', clinicId: 7 }, paths)).toBeUndefined();
  });
});

describe('with several roles', () => {
  const paths = { ...PATHS, role: 'roles' };
  const several = { roles: ['CLINIC', 'ADMIN', 'offline_access'], clinicId: 7 };

  it('uses the role of Acting-Role', () => {
    expect(read(several, paths, 'CLINIC')).toEqual({ role: 'CLINIC', subject: 'someone', clinicId: 7 });
    expect(read(several, paths, 'ADMIN')).toEqual({ role: 'ADMIN', subject: 'someone' });
    expect(read({ ...several, roles: 'CLINIC ADMIN' }, paths, 'ADMIN')).toMatchObject({ role: 'ADMIN' });
    expect(read({ ...several, role: ['CLINIC', 'ADMIN'] }, PATHS, 'ADMIN')).toMatchObject({ role: 'ADMIN' });
  });

  it('refuses a token without Acting-Role', () => {
    expect(read(several, paths)).toBeUndefined();
  });

  it('refuses an Acting-Role that the token does not contain', () => {
    for (const acting of ['CLIENT', 'UNKNOWN'] as const) {
      expect(() => read(several, paths, acting)).toThrow(ForbiddenError);
      expect(() => read(several, paths, acting)).toThrow(
        'The token does not contain the role of the header Acting-Role.',
      );
    }
    expect(() => read({ role: 'CLINIC', clinicId: 7 }, PATHS, 'ADMIN')).toThrow(ForbiddenError);
    // In the claim `role`, a string is a single role.
    expect(read({ role: 'CLINIC ADMIN', clinicId: 7 }, PATHS, 'ADMIN')).toBeUndefined();
  });

  it('finds the principal of the first role, whatever Acting-Role is', () => {
    expect(readFirstPrincipal(claims(several), paths)).toEqual({ role: 'CLINIC', subject: 'someone', clinicId: 7 });
    expect(readFirstPrincipal(claims({ roles: ['CLIENT', 'ADMIN'] }), paths)).toBeUndefined();
    expect(readFirstPrincipal(claims({ roles: ['offline_access'] }), paths)).toBeUndefined();
  });

  it('requires the record id of the selected role', () => {
    expect(read({ roles: ['CLINIC', 'CLIENT'], clinicId: 7 }, paths, 'CLIENT')).toBeUndefined();
  });
});
