import { tokenClaims } from './token.js';

const claims = (change: object) => ({ sub: 'someone', exp: 1, ...change });

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
])('the role %s is read as %s', (role, read) => {
  expect(tokenClaims.parse(claims({ role, clinicId: 1, caregiverId: 2, clientId: 3 })).role).toBe(read);
});

it.each([undefined, null, '', 'ROOT', 'ROLE_ROLE_CLINIC', 'CLINIC ', ['CLINIC'], { CLINIC: true }, 1])(
  'refuses the role %j',
  (role) => {
    expect(tokenClaims.safeParse(claims({ role, clinicId: 1 })).success).toBe(false);
  },
);

it.each([
  ['CLINIC', 'clinicId'],
  ['CARE_PROVIDER', 'caregiverId'],
  ['CLIENT', 'clientId'],
])('%s needs %s, an integer of 1 or more', (role, claim) => {
  expect(tokenClaims.parse(claims({ role, [claim]: 7 }))).toEqual({ role, subject: 'someone', [claim]: 7 });
  for (const id of [undefined, null, 0, -1, 1.5, '7', 2 ** 53, [7]]) {
    expect(tokenClaims.safeParse(claims({ role, [claim]: id })).success).toBe(false);
  }
});

it('needs a subject and an end', () => {
  expect(tokenClaims.safeParse({ role: 'ADMIN', exp: 1 }).success).toBe(false);
  expect(tokenClaims.safeParse({ role: 'ADMIN', sub: 'x' }).success).toBe(false);
  expect(tokenClaims.safeParse({ role: 'ADMIN', sub: '', exp: 1 }).success).toBe(false);
  expect(tokenClaims.parse({ role: 'ADMIN', sub: 'x', exp: 1 })).toEqual({ role: 'ADMIN', subject: 'x' });
});
