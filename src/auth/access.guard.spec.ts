import { Reflector } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { Access, PUBLIC, type Principal } from '../shared/access/index.js';
import { ForbiddenError, UnauthenticatedError } from '../shared/errors/index.js';
import { AccessGuard } from './access.guard.js';
import type { TokenVerifier } from './token-verifier.js';

const CLINIC: Principal = { role: 'CLINIC', subject: 'clinic', clinicId: 7 };
const ADMIN: Principal = { role: 'ADMIN', subject: 'admin' };

class Routes {
  @Access('CLINIC')
  ofClinics(): void {}
  @Access(PUBLIC)
  ofEverybody(): void {}
  ofNobody(): void {}
}

@Access('ADMIN')
class AdminRoutes {
  ofAdministrators(): void {}
  @Access('CLINIC')
  ofClinics(): void {}
}

/** Two tokens hold, each by its name. No token at all is none to be verified. */
const verify = async (token?: string): Promise<Principal> => {
  if (token === 'clinic') return CLINIC;
  if (token === 'admin') return ADMIN;
  throw token === undefined ? new TypeError('no token') : new UnauthenticatedError();
};
const guard = new AccessGuard(new Reflector(), { verify } as unknown as TokenVerifier);

function ask<Controller extends object>(
  controller: new () => Controller,
  route: keyof Controller,
  ...authorization: string[]
) {
  const headersDistinct = authorization.length === 0 ? {} : { authorization };
  const request: { raw: object; user?: Principal } = { raw: { headersDistinct } };
  const handler = controller.prototype[route] as () => void;
  const answer = guard.canActivate(new ExecutionContextHost([request], controller, handler));
  return { request, answer };
}

it('lets the role of the route in, and tells the route who it is', async () => {
  const { request, answer } = ask(Routes, 'ofClinics', 'Bearer clinic');
  expect([await answer, request.user]).toEqual([true, CLINIC]);
});

it('lets nobody else in', async () => {
  await expect(ask(Routes, 'ofClinics', 'Bearer admin').answer).rejects.toBeInstanceOf(ForbiddenError);
  await expect(ask(Routes, 'ofClinics', 'Bearer nobody').answer).rejects.toBeInstanceOf(UnauthenticatedError);
});

it('lets everybody in where it is open, whatever they send', async () => {
  const { request, answer } = ask(Routes, 'ofEverybody', 'Bearer nobody');
  expect([await answer, request.user]).toEqual([true, undefined]);
  expect(await ask(Routes, 'ofEverybody').answer).toBe(true);
});

it('lets nobody in where nothing is said', async () => {
  for (const token of ['clinic', 'admin'])
    await expect(ask(Routes, 'ofNobody', `Bearer ${token}`).answer).rejects.toBeInstanceOf(ForbiddenError);
});

it('reads the controller, and the route before it', async () => {
  expect(await ask(AdminRoutes, 'ofAdministrators', 'Bearer admin').answer).toBe(true);
  expect(await ask(AdminRoutes, 'ofClinics', 'Bearer clinic').answer).toBe(true);
  await expect(ask(AdminRoutes, 'ofAdministrators', 'Bearer clinic').answer).rejects.toBeInstanceOf(ForbiddenError);
  await expect(ask(AdminRoutes, 'ofClinics', 'Bearer admin').answer).rejects.toBeInstanceOf(ForbiddenError);
});

it.each(['Bearer clinic', 'bearer clinic', 'BEARER clinic', 'Bearer   clinic'])(
  'reads the token of %j',
  async (header) => {
    expect(await ask(Routes, 'ofClinics', header).answer).toBe(true);
  },
);

it.each<[string, string[]]>([
  ['no header', []],
  ['an empty header', ['']],
  ['two headers', ['Bearer clinic', 'Bearer clinic']],
  ['a token alone', ['clinic']],
  ['no blank', ['Bearerclinic']],
  ['a tab', ['Bearer\tclinic']],
  ['another scheme', ['Basic clinic']],
  ['a longer scheme', ['XBearer clinic']],
  ['something before it', ['Basic x, Bearer clinic']],
  ['something after it', ['Bearer clinic x']],
  ['a blank after it', ['Bearer clinic ']],
])('reads no token of %s', async (_, headers) => {
  await expect(ask(Routes, 'ofClinics', ...headers).answer).rejects.toBeInstanceOf(UnauthenticatedError);
});
