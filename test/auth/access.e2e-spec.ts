import { EntityManager } from '@mikro-orm/core';
import { Controller, Get, type INestApplication } from '@nestjs/common';
import { FastifyAdapter, NestFastifyApplication } from '@nestjs/platform-fastify';
import { Registry } from 'prom-client';
import { NestFactory } from '@nestjs/core';
import { AuthModule } from '../../src/auth/index.js';
import { PUBLIC, Access, ROLES, type Role } from '../../src/shared/access/index.js';
import { AuditRecordKinds } from '../../src/shared/audit-records/index.js';
import { Environment } from '../../src/shared/config/env.js';
import { ProblemFilter } from '../../src/shared/errors/index.js';
import { Clock } from '../../src/shared/time/index.js';
import { readOpenApiDocument } from '../support/contract/read-openapi.js';
import { TestApp } from '../support/app/test-app.js';

/* The role that each operation requires. The test fails for a new operation until its role is listed here. */

const MAY_CALL: Readonly<Record<string, Role | typeof PUBLIC>> = {
  'GET /health/live': PUBLIC,
  'GET /health/ready': PUBLIC,
  'GET /metrics': PUBLIC,
  'GET /calendar/{secret}.ics': PUBLIC,
  'GET /reminder/opt-out/{kind}/{secret}': PUBLIC,
  'POST /reminder/opt-out/{kind}/{secret}': PUBLIC,

  'GET /gateway/admin/audit': 'ADMIN',
  'GET /gateway/admin/audit/export': 'ADMIN',
  'GET /gateway/profile/clinic/audit': 'CLINIC',
  'GET /gateway/profile/clinic/audit/export': 'CLINIC',

  'POST /gateway/admin/clinic': 'ADMIN',
  'GET /gateway/admin/clinic': 'ADMIN',
  'POST /gateway/admin/clinic/import': 'ADMIN',
  'PUT /gateway/admin/clinic/external/{externalId}': 'ADMIN',
  'GET /gateway/admin/clinic/{id}': 'ADMIN',
  'PATCH /gateway/admin/clinic/{id}': 'ADMIN',
  'DELETE /gateway/admin/clinic/{id}': 'ADMIN',
  'POST /gateway/admin/book': 'ADMIN',
  'GET /gateway/admin/book': 'ADMIN',
  'POST /gateway/admin/book/import': 'ADMIN',
  'PUT /gateway/admin/book/external/{externalId}': 'ADMIN',
  'GET /gateway/admin/book/{id}': 'ADMIN',
  'PATCH /gateway/admin/book/{id}': 'ADMIN',
  'DELETE /gateway/admin/book/{id}': 'ADMIN',
  'POST /gateway/admin/revoked-token': 'ADMIN',
  'GET /gateway/admin/revoked-token': 'ADMIN',
  'POST /gateway/admin/revoked-token-holder': 'ADMIN',
  'GET /gateway/admin/revoked-token-holder': 'ADMIN',
  'POST /gateway/admin/administrator-access': 'ADMIN',
  'GET /gateway/admin/administrator-access': 'ADMIN',
  'DELETE /gateway/admin/administrator-access/{id}': 'ADMIN',

  'GET /gateway/profile/clinic/administrator-access': 'CLINIC',
  'DELETE /gateway/profile/clinic/administrator-access/{id}': 'CLINIC',
  'POST /gateway/profile/clinic/revoked-token-holder': 'CLINIC',
  'GET /gateway/profile/clinic/revoked-token-holder': 'CLINIC',
  'POST /gateway/profile/clinic/care-provider': 'CLINIC',
  'GET /gateway/profile/clinic/care-provider': 'CLINIC',
  'POST /gateway/profile/clinic/care-provider/import': 'CLINIC',
  'POST /gateway/profile/clinic/care-provider/{id}/reassign': 'CLINIC',
  'PUT /gateway/profile/clinic/care-provider/external/{externalId}': 'CLINIC',
  'GET /gateway/profile/clinic/care-provider/{id}': 'CLINIC',
  'PATCH /gateway/profile/clinic/care-provider/{id}': 'CLINIC',
  'DELETE /gateway/profile/clinic/care-provider/{id}': 'CLINIC',
  'POST /gateway/profile/clinic/client': 'CLINIC',
  'GET /gateway/profile/clinic/client': 'CLINIC',
  'POST /gateway/profile/clinic/client/import': 'CLINIC',
  'PUT /gateway/profile/clinic/client/external/{externalId}': 'CLINIC',
  'GET /gateway/profile/clinic/client/{id}': 'CLINIC',
  'GET /gateway/profile/clinic/client/{id}/export': 'CLINIC',
  'GET /gateway/profile/client/export': 'CLIENT',
  'PATCH /gateway/profile/clinic/client/{id}': 'CLINIC',
  'DELETE /gateway/profile/clinic/client/{id}': 'CLINIC',
  'PUT /gateway/profile/clinic/client/{id}/care-provider/{careProviderId}': 'CLINIC',
  'DELETE /gateway/profile/clinic/client/{id}/care-provider/{careProviderId}': 'CLINIC',
  'POST /gateway/profile/clinic/book': 'CLINIC',
  'GET /gateway/profile/clinic/book': 'CLINIC',
  'POST /gateway/profile/clinic/book/import': 'CLINIC',
  'PUT /gateway/profile/clinic/book/external/{externalId}': 'CLINIC',
  'GET /gateway/profile/clinic/book/{id}': 'CLINIC',
  'PATCH /gateway/profile/clinic/book/{id}': 'CLINIC',
  'DELETE /gateway/profile/clinic/book/{id}': 'CLINIC',
  'POST /gateway/profile/clinic/design-plan': 'CLINIC',
  'GET /gateway/profile/clinic/design-plan': 'CLINIC',
  'POST /gateway/profile/clinic/design-plan/import': 'CLINIC',
  'GET /gateway/profile/clinic/design-plan/{id}': 'CLINIC',
  'GET /design-plan/{id}': 'CLINIC',
  'PUT /gateway/profile/clinic/design-plan/{id}': 'CLINIC',
  'DELETE /gateway/profile/clinic/design-plan/{id}': 'CLINIC',
  'POST /gateway/profile/clinic/design-plan/{id}/restore': 'CLINIC',
  'POST /gateway/profile/clinic/design-plan/{id}/clone': 'CLINIC',
  'GET /gateway/profile/clinic/design-plan/{id}/export': 'CLINIC',
  'GET /gateway/profile/clinic/design-plan/{id}/revision': 'CLINIC',
  'GET /gateway/profile/clinic/design-plan/{id}/revision/{revision}': 'CLINIC',
  'GET /gateway/profile/clinic/design-plan/{id}/revision/{from}/diff/{to}': 'CLINIC',
  'GET /gateway/profile/caregiver/client': 'CARE_PROVIDER',
  'GET /gateway/profile/caregiver/client/{id}': 'CARE_PROVIDER',
  'GET /gateway/profile/caregiver/care-provider': 'CARE_PROVIDER',
  'GET /gateway/profile/caregiver/care-provider/{id}': 'CARE_PROVIDER',
  'GET /gateway/profile/caregiver/book': 'CARE_PROVIDER',
  'GET /gateway/profile/caregiver/book/{id}': 'CARE_PROVIDER',
  'GET /gateway/profile/caregiver/design-plan': 'CARE_PROVIDER',
  'GET /gateway/profile/caregiver/design-plan/{id}': 'CARE_PROVIDER',

  'GET /gateway/profile/client/reminder-preference': 'CLIENT',
  'PUT /gateway/profile/client/reminder-preference': 'CLIENT',
  'GET /gateway/profile/caregiver/reminder-preference': 'CARE_PROVIDER',
  'PUT /gateway/profile/caregiver/reminder-preference': 'CARE_PROVIDER',
  'POST /gateway/profile/clinic/client/{id}/erasure': 'CLINIC',
  'GET /gateway/profile/clinic/client/{id}/erasure': 'CLINIC',
  'GET /gateway/profile/clinic/client/{id}/erasure/{erasureId}': 'CLINIC',
  'POST /gateway/profile/clinic/client/{id}/erasure/{erasureId}/confirmation': 'CLINIC',
  'POST /gateway/profile/clinic/care-provider/{id}/erasure': 'CLINIC',
  'GET /gateway/profile/clinic/care-provider/{id}/erasure': 'CLINIC',
  'GET /gateway/profile/clinic/care-provider/{id}/erasure/{erasureId}': 'CLINIC',
  'POST /gateway/profile/clinic/care-provider/{id}/erasure/{erasureId}/confirmation': 'CLINIC',
  'POST /gateway/admin/clinic/{id}/erasure': 'ADMIN',
  'GET /gateway/admin/clinic/{id}/erasure': 'ADMIN',
  'GET /gateway/admin/clinic/{id}/erasure/{erasureId}': 'ADMIN',
  'POST /gateway/admin/clinic/{id}/erasure/{erasureId}/confirmation': 'ADMIN',
  'PUT /gateway/profile/clinic/client/{id}/legal-hold': 'CLINIC',
  'GET /gateway/profile/clinic/client/{id}/legal-hold': 'CLINIC',
  'DELETE /gateway/profile/clinic/client/{id}/legal-hold': 'CLINIC',
  'GET /gateway/profile/clinic/retention': 'CLINIC',
  'PUT /gateway/profile/clinic/retention': 'CLINIC',
  'GET /gateway/profile/clinic/reminder-preference': 'CLINIC',
  'PUT /gateway/profile/clinic/reminder-preference': 'CLINIC',
  'GET /gateway/profile/caregiver/reminder': 'CARE_PROVIDER',
  'GET /gateway/profile/caregiver/reminder/{id}': 'CARE_PROVIDER',
  'GET /gateway/profile/clinic/reminder': 'CLINIC',
  'GET /gateway/profile/clinic/reminder/{id}': 'CLINIC',
  'GET /gateway/profile/clinic/reminder/{id}/message': 'CLINIC',
  'POST /gateway/profile/clinic/reminder/redrive': 'CLINIC',
  'POST /gateway/profile/clinic/reminder/{id}/redrive': 'CLINIC',

  'POST /gateway/profile/caregiver/session': 'CARE_PROVIDER',
  'GET /gateway/profile/caregiver/session': 'CARE_PROVIDER',
  'POST /gateway/profile/caregiver/design-plan/{id}/apply': 'CARE_PROVIDER',
  'GET /gateway/profile/caregiver/session/{id}': 'CARE_PROVIDER',
  'PATCH /gateway/profile/caregiver/session/{id}': 'CARE_PROVIDER',
  'POST /gateway/profile/caregiver/session/{id}/cancel': 'CARE_PROVIDER',
  'POST /gateway/profile/caregiver/session/{id}/complete': 'CARE_PROVIDER',
  'POST /gateway/profile/caregiver/session/{id}/no-show': 'CARE_PROVIDER',
  'POST /gateway/profile/caregiver/session/{id}/undo': 'CARE_PROVIDER',
  'GET /gateway/profile/caregiver/session/{id}/digest': 'CARE_PROVIDER',
  'GET /gateway/profile/caregiver/series': 'CARE_PROVIDER',
  'GET /gateway/profile/caregiver/series/{seriesId}': 'CARE_PROVIDER',
  'POST /gateway/profile/caregiver/series/{seriesId}/pause': 'CARE_PROVIDER',
  'POST /gateway/profile/caregiver/series/{seriesId}/resume': 'CARE_PROVIDER',
  'POST /gateway/profile/caregiver/series/{seriesId}/shift': 'CARE_PROVIDER',
  'POST /gateway/profile/caregiver/series/{seriesId}/skip-week': 'CARE_PROVIDER',
  'POST /gateway/profile/caregiver/series/{seriesId}/revise': 'CARE_PROVIDER',
  'POST /gateway/profile/clinic/session': 'CLINIC',
  'POST /gateway/profile/clinic/design-plan/{id}/apply': 'CLINIC',
  'GET /gateway/profile/clinic/session': 'CLINIC',
  'GET /gateway/profile/clinic/session/{id}': 'CLINIC',
  'PATCH /gateway/profile/clinic/session/{id}': 'CLINIC',
  'POST /gateway/profile/clinic/session/{id}/cancel': 'CLINIC',
  'POST /gateway/profile/clinic/session/{id}/complete': 'CLINIC',
  'POST /gateway/profile/clinic/session/{id}/no-show': 'CLINIC',
  'POST /gateway/profile/clinic/session/{id}/undo': 'CLINIC',
  'GET /gateway/profile/clinic/session/{id}/digest': 'CLINIC',
  'GET /gateway/profile/clinic/series': 'CLINIC',
  'GET /gateway/profile/clinic/series/{seriesId}': 'CLINIC',
  'POST /gateway/profile/clinic/series/{seriesId}/pause': 'CLINIC',
  'POST /gateway/profile/clinic/series/{seriesId}/resume': 'CLINIC',
  'POST /gateway/profile/clinic/series/{seriesId}/shift': 'CLINIC',
  'POST /gateway/profile/clinic/series/{seriesId}/skip-week': 'CLINIC',
  'POST /gateway/profile/clinic/series/{seriesId}/revise': 'CLINIC',

  'GET /gateway/profile/caregiver/week': 'CARE_PROVIDER',
  'GET /gateway/profile/clinic/week': 'CLINIC',
  'GET /gateway/profile/client/week': 'CLIENT',
  'GET /gateway/profile/client/session': 'CLIENT',
  'GET /gateway/profile/client/session/{id}': 'CLIENT',
  'GET /gateway/profile/client/homework': 'CLIENT',
  'GET /gateway/profile/clinic/homework': 'CLINIC',
  'POST /gateway/profile/client/homework/{id}/complete': 'CLIENT',
  'POST /gateway/profile/client/homework/{id}/undo': 'CLIENT',
  'POST /gateway/profile/caregiver/calendar-link': 'CARE_PROVIDER',
  'GET /gateway/profile/caregiver/calendar-link': 'CARE_PROVIDER',
  'POST /gateway/profile/caregiver/calendar-link/{id}/rotate': 'CARE_PROVIDER',
  'POST /gateway/profile/caregiver/calendar-link/{id}/renew': 'CARE_PROVIDER',
  'DELETE /gateway/profile/caregiver/calendar-link/{id}': 'CARE_PROVIDER',
  'POST /gateway/profile/client/calendar-link': 'CLIENT',
  'GET /gateway/profile/client/calendar-link': 'CLIENT',
  'POST /gateway/profile/client/calendar-link/{id}/rotate': 'CLIENT',
  'POST /gateway/profile/client/calendar-link/{id}/renew': 'CLIENT',
  'DELETE /gateway/profile/client/calendar-link/{id}': 'CLIENT',
  'GET /gateway/profile/caregiver/session/{id}/calendar.ics': 'CARE_PROVIDER',
  'GET /gateway/profile/clinic/session/{id}/calendar.ics': 'CLINIC',
  'GET /gateway/profile/client/session/{id}/calendar.ics': 'CLIENT',
};

let app: TestApp;
let paths: Record<string, Record<string, { security?: object[] }>>;
let tokens: Record<Role, string>;
beforeAll(async () => {
  app = await TestApp.start();
  const clinic = await app.createClinic();
  tokens = {
    CLINIC: clinic.clinicToken,
    CARE_PROVIDER: clinic.careProviderToken,
    CLIENT: await app.createToken('CLIENT', clinic.clientIds[0]),
    ADMIN: await app.createToken('ADMIN'),
  };
  paths = (await readOpenApiDocument(app)).paths as typeof paths;
});
afterAll(() => app.stop());

/** Calls an operation with an unknown ID and an invalid body, so that even an allowed call changes nothing. */
const call = (operation: string, token?: string) => {
  const [method, path] = operation.split(' ') as [string, string];
  const body = ['POST', 'PUT', 'PATCH'].includes(method) ? { titles: 'NONE' } : undefined;
  return app.call(method, path.replaceAll(/\{\w+\}/g, '999999999'), { token, body, headers: { 'if-match': '"1"' } });
};

it('lists every operation of the service, and no other', () => {
  const served = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(served.sort()).toEqual(Object.keys(MAY_CALL).sort());
});

describe.each(Object.entries(MAY_CALL))('%s is for %s', (operation, role) => {
  if (role === PUBLIC) {
    it('can be called without a token, and with any token', async () => {
      // An operation with a secret in its path responds with 404, because the secret is unknown.
      const expected = operation.includes('{secret}') ? 404 : 200;
      for (const token of [undefined, 'broken', ...Object.values(tokens)])
        expect((await call(operation, token)).status).toBe(expected);
    });
    return;
  }

  it('is refused without a token, and with a broken one', async () => {
    for (const token of [undefined, 'broken']) {
      const answer = await call(operation, token);
      expect([answer.status, answer.body.type]).toEqual([401, 'urn:problem:unauthenticated']);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
    }
  });

  it.each(ROLES.filter((other) => other !== role))('is refused to %s', async (other) => {
    const answer = await call(operation, tokens[other]);
    expect([answer.status, answer.body.type]).toEqual([403, 'urn:problem:forbidden']);
  });

  it('is allowed for its role', async () => {
    const { status } = await call(operation, tokens[role]);
    // An import responds with 415, because it reads NDJSON instead of JSON.
    expect([200, 204, 400, 404, 415]).toContain(status);
  });

  it('is documented as closed', () => {
    const [method, path] = operation.split(' ') as [string, string];
    expect(paths[path]![method.toLowerCase()]!.security).toEqual([{ bearer: [] }]);
  });
});

it('shows the documentation without a token', async () => {
  for (const path of ['/openapi.json', '/openapi.yaml', '/docs'])
    expect((await app.call('GET', path)).status).toBe(200);
});

describe('a route without @Access', () => {
  @Controller('forgotten')
  class ForgottenController {
    @Get('closed')
    closed(): string {
      return 'a secret';
    }

    @Get('open')
    @Access(PUBLIC)
    open(): string {
      return 'not a secret';
    }
  }

  let forgottenApp: INestApplication;
  beforeAll(async () => {
    const shared = [Environment, EntityManager, Clock];
    const providers = [
      ...shared.map((provide) => ({ provide, useValue: app.nest.get<object>(provide) })),
      // These providers are new, because those of the other application already contain the same names.
      ...[Registry, AuditRecordKinds].map((provide) => ({ provide, useValue: new provide() })),
    ];
    const sharedModule = {
      module: class {},
      global: true,
      providers,
      exports: [...shared, Registry, AuditRecordKinds],
    };
    const root = { module: class {}, imports: [sharedModule, AuthModule], controllers: [ForgottenController] };
    forgottenApp = await NestFactory.create<NestFastifyApplication>(root, new FastifyAdapter(), { logger: false });
    forgottenApp.useGlobalFilters(new ProblemFilter());
    await forgottenApp.listen(0, '127.0.0.1');
  });
  afterAll(() => forgottenApp.close());

  const get = async (path: string, token?: string) => {
    const headers = token === undefined ? {} : { authorization: `bearer ${token}` };
    const response = await fetch(`${await forgottenApp.getUrl()}/forgotten/${path}`, { headers });
    return [response.status, await response.text()] as const;
  };

  it('is closed to every role', async () => {
    expect((await get('closed'))[0]).toBe(401);
    for (const role of ROLES) {
      const [status, text] = await get('closed', tokens[role]);
      expect([role, status]).toEqual([role, 403]);
      expect(text).not.toContain('secret');
    }
  });

  it('stays closed if another route of the controller is public', async () => {
    expect(await get('open')).toEqual([200, 'not a secret']);
  });
});
