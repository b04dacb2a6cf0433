import { MikroORM } from '@mikro-orm/core';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AuditVerifier } from '../../src/audit/index.js';
import { DemonstrationClock } from '../../src/demonstration/index.js';
import { getDatabaseDirectory, forkForActor } from '../../src/shared/persistence/index.js';
import type { Role } from '../../src/shared/access/index.js';
import { DemonstrationApp } from '../support/app/demonstration-app.js';
import type { OpenApiDocument } from '../support/contract/openapi-document.js';
import { expandReferences } from '../support/contract/read-openapi.js';

/* Tests the demonstration on an empty embedded database. Its IDs and statuses must match the examples at /docs. */

declare const TEST_DATABASE: 'embedded' | 'postgresql';
const describeOnce = TEST_DATABASE === 'embedded' ? describe : describe.skip;

const ROLES: Record<string, Role> = {
  'profile/clinic': 'CLINIC',
  'profile/caregiver': 'CARE_PROVIDER',
  'profile/client': 'CLIENT',
  admin: 'ADMIN',
};

describeOnce('the demonstration', () => {
  let app: DemonstrationApp;
  beforeAll(async () => {
    app = await DemonstrationApp.start();
  });
  afterAll(() => app.stop());

  it('leaves no list of any role empty', async () => {
    const { paths } = expandReferences((await (await fetch(`${app.url}/openapi.json`)).json()) as OpenApiDocument);
    const lists = Object.entries(paths).filter(
      ([path, { get }]) => !path.includes('{') && get?.parameters?.some(({ name }) => name === 'cursor'),
    );
    expect(lists.length).toBeGreaterThan(15);
    for (const [path] of lists.filter(([name]) => !name.endsWith('/export'))) {
      const role = Object.entries(ROLES).find(([prefix]) => path.startsWith(`/gateway/${prefix}/`))![1];
      const { status, body } = await app.get(path, role);
      expect([path, status, body.items?.length > 0]).toEqual([path, 200, true]);
    }
  });

  it('has Sessions and reminders of all states, with the ids of the examples', async () => {
    const statusesOf = async (path: string) => {
      const { body } = await app.get(`/gateway/profile/clinic/${path}?limit=200`, 'CLINIC');
      return new Set<string>(body.items.map(({ status }: { status: string }) => status));
    };
    expect(await statusesOf('session')).toEqual(new Set(['COMPLETED', 'NO_SHOW', 'CANCELLED', 'SCHEDULED', 'PAUSED']));
    expect(await statusesOf('reminder')).toEqual(new Set(['SENT', 'DEAD', 'SKIPPED', 'WITHDRAWN', 'PENDING']));
    const read = async (path: string) => (await app.get(`/gateway/profile/clinic/${path}`, 'CLINIC')).body;
    expect(await read('session/1')).toMatchObject({ status: 'SCHEDULED', clientId: 1, caregiverId: 1, version: 1 });
    const series = await read('series/019abcde-0000-7000-8000-000000000000');
    expect(series).toMatchObject({ designPlanId: 1 });
    const overlapping = await read('session/16');
    expect(overlapping.conflicts).toHaveLength(1);
    expect(await read('reminder/1')).toMatchObject({ status: 'DEAD', sessionId: 1 });
    const [{ id }] = (await read('reminder?sessionId=4&recipientKind=CLIENT&limit=1')).items;
    const { history } = await read(`reminder/${id}`);
    expect(history.map(({ what }: { what: string }) => what)).toEqual([
      'PLANNED',
      ...['QUEUED', 'FAILED', 'QUEUED', 'SENT'],
    ]);
    const { startsAt } = await read('session/4');
    expect(history.at(-1)).toMatchObject({ startsAt });
  });

  it('has no reminder that is due, so that none is sent when the service starts', async () => {
    const now = new Date().toISOString();
    const { body } = await app.get(`/gateway/profile/clinic/reminder?status=PENDING&to=${now}&limit=200`, 'CLINIC');
    const late = body.items.filter(({ sendAt }: { sendAt: string }) => sendAt < now);
    expect(late).toEqual([]);
  });

  it('has an audit trail with valid seals', async () => {
    // The requests of this file have added newer entries, which are not sealed.
    const findings: object[] = [];
    const em = forkForActor(app.nest.get(MikroORM).em, { role: 'AUDIT' });
    const verifier = new AuditVerifier(em, (finding) => findings.push(finding));
    const { entries } = await verifier.verify(Temporal.Now.instant().subtract({ minutes: 4 }));
    expect(findings).toEqual([]);
    expect(entries).toBeGreaterThan(30);
  });
});

describeOnce('a demonstration that fails in between', () => {
  it('stores nothing, and the next start begins again', async () => {
    class FailingClock extends DemonstrationClock {
      private steps = 0;
      override stopAt(time: Temporal.Instant): void {
        this.steps += 1;
        if (this.steps === 20) throw new Error('stopped in between');
        super.stopAt(time);
      }
    }
    const dataDir = mkdtempSync(join(tmpdir(), 'demonstration-'));
    try {
      mkdirSync(getDatabaseDirectory(dataDir));
      spawnSync('tar', ['-xf', process.env['TEST_EMBEDDED_TEMPLATE']!, '-C', getDatabaseDirectory(dataDir)]);
      const database = { kind: 'embedded' as const, dataDir };
      await expect(DemonstrationApp.start(database, new FailingClock())).rejects.toThrow('stopped in between');
      const app = await DemonstrationApp.start(database);
      const { body } = await app.get('/gateway/profile/clinic/session/1', 'CLINIC');
      expect(body).toMatchObject({ id: 1, title: 'Progress review' });
      await app.stop();
    } finally {
      rmSync(dataDir, { recursive: true });
    }
  });
});
