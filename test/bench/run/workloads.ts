import type pg from 'pg';
import { signToken } from '../../../src/auth/index.js';
import { readEnvironment } from '../../../src/shared/config/env.js';
import { TOKEN_VARIABLES } from './database.js';
import { BOOKS, CARE_PROVIDERS, CLIENTS, PLANS, type ClinicBlock } from './seed.js';

export type BenchmarkRequest = {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  headers: Record<string, string>;
  body?: string;
};
/** Returns the next request of a workload. */
export type RequestSource = () => BenchmarkRequest;

/** A kind of request to measure. `open` prepares it and returns a function that creates its requests. */
export type Workload = {
  name: string;
  title: string;
  open: (scene: RequestGenerator) => Promise<RequestSource> | RequestSource;
};

const CAREGIVER = '/gateway/profile/caregiver';
const CLINIC = '/gateway/profile/clinic';

/** Generates the callers and values of requests. The first Clinic is large; all others have the same size. */
export class RequestGenerator {
  private random = generator(1);

  private constructor(
    readonly owner: pg.Client,
    private readonly clinicTokens: readonly string[],
    private readonly careProviderTokens: readonly string[],
  ) {}

  static async of(owner: pg.Client, blocks: readonly ClinicBlock[]): Promise<RequestGenerator> {
    const clinics = blocks.reduce((sum, block) => sum + block.clinics, 0);
    const tokens = (role: 'CLINIC' | 'CARE_PROVIDER', count: number) =>
      Promise.all(Array.from({ length: count }, (_, index) => tokenOf(role, index + 1)));
    return new RequestGenerator(
      owner,
      await tokens('CLINIC', clinics),
      await tokens('CARE_PROVIDER', clinics * CARE_PROVIDERS),
    );
  }

  /** Restarts the random number generator, so that every variant gets the same requests. */
  restart(round: number): void {
    this.random = generator(round);
  }

  /** Returns a random integer from 0 to less than the limit. */
  randomInteger(limit: number): number {
    return Math.floor(this.random() * limit);
  }

  /** Returns a random Clinic, all with the same probability. */
  randomClinic(): { id: number; headers: Record<string, string> } {
    const id = 1 + this.randomInteger(this.clinicTokens.length);
    return { id, headers: this.clinicHeaders(id) };
  }

  clinicHeaders(id: number): Record<string, string> {
    return { authorization: `Bearer ${this.clinicTokens[id - 1]!}` };
  }

  careProviderHeaders(id: number): Record<string, string> {
    return { authorization: `Bearer ${this.careProviderTokens[id - 1]!}` };
  }

  /** Returns a random Care Provider with one of their Clients. */
  randomCareProviderWithClient(): { clinicId: number; clientId: number; headers: Record<string, string> } {
    const careProvider = this.randomInteger(this.careProviderTokens.length);
    const clinic = Math.floor(careProvider / CARE_PROVIDERS);
    const ofTheirs = this.randomInteger(CLIENTS / CARE_PROVIDERS);
    const clientId = clinic * CLIENTS + (careProvider % CARE_PROVIDERS) + ofTheirs * CARE_PROVIDERS + 1;
    return { clinicId: clinic + 1, clientId, headers: this.careProviderHeaders(careProvider + 1) };
  }

  /** Returns a random time during working hours. Times are spread over twenty years, so Sessions rarely overlap. */
  randomSlot(): { date: string; time: string } {
    const day = Temporal.PlainDate.from('2027-01-04').add({ days: this.randomInteger(7000) });
    const time = Temporal.PlainTime.from('08:00').add({ minutes: 5 * this.randomInteger(120) });
    return { date: day.toString().replaceAll('-', '/'), time: time.toString({ smallestUnit: 'minute' }) };
  }

  randomBooks(count: number): number[] {
    const first = this.randomInteger(BOOKS);
    return Array.from({ length: count }, (_, index) => ((first + index * 7) % BOOKS) + 1);
  }
}

export const createPlanWorkload: Workload = {
  name: 'plan',
  title: 'Create a plan of 8 weeks × 3 Books × 2 reminders',
  open: (scene) => () => {
    const { headers } = scene.randomClinic();
    return post(`${CLINIC}/design-plan`, headers, {
      planName: 'Eight weeks of better sleep',
      createdDate: '2026/11/21 09:30',
      appointmentTitle: 'Sleep session',
      appointmentDesc: 'Weekly review of the sleep diary, and what to try until next week',
      weeks: Array.from({ length: 8 }, (_, week) => weekOf(week + 1, scene.randomBooks(3))),
    });
  },
};

export const createSessionWorkload: Workload = {
  name: 'session',
  title: 'Create one Session with one Book and remindDays',
  open: (scene) => () => sessionCall(scene, 1, 1),
};

export const createSessionsWorkload: Workload = {
  name: 'sessions',
  title: 'Create ten Sessions with three Books each and remindDays',
  open: (scene) => () => sessionCall(scene, 10, 3),
};

export const applyPlanWorkload: Workload = {
  name: 'apply',
  title: 'Apply a plan of 8 weeks, a reminder the day before each Session',
  open: (scene) => () => {
    const { clientId, clinicId, headers } = scene.randomCareProviderWithClient();
    const planId = (clinicId - 1) * PLANS + scene.randomInteger(PLANS) + 1;
    const body = { clientId, ...scene.randomSlot(), reminders: ['-P1D'] };
    return post(`${CAREGIVER}/design-plan/${planId}/apply`, headers, body);
  },
};

export const getPlanWorkload: Workload = {
  name: 'get-plan',
  title: 'Read a plan',
  open: (scene) => () => {
    const { id, headers } = scene.randomClinic();
    return {
      method: 'GET',
      path: `${CLINIC}/design-plan/${(id - 1) * PLANS + scene.randomInteger(PLANS) + 1}`,
      headers,
    };
  },
};

export const listSessionsWorkload: Workload = {
  name: 'list',
  title: 'List 50 Sessions of the largest Clinic',
  open: (scene) => () => {
    const from = Temporal.PlainDate.from('2027-01-04').add({ days: scene.randomInteger(6900) });
    const path = `${CLINIC}/session?limit=50&from=${from.toString()}T08:00:00Z`;
    return { method: 'GET', path, headers: scene.clinicHeaders(1) };
  },
};

export const listIncludedWorkload: Workload = {
  name: 'list-included',
  title: 'List 50 Sessions of the largest Clinic with names, Books, reminders and overlaps',
  open: (scene) => {
    const source = listSessionsWorkload.open(scene) as RequestSource;
    return () => {
      const call = source();
      return { ...call, path: `${call.path}&include=client,careProvider,books,progress,reminders,conflicts` };
    };
  },
};

/**
 * Days between the starts of the seeded series. The sum of any of these numbers is the start of a week with many
 * Sessions.
 */
const BUSY_DAYS = [256, 512, 2048, 4096];

export const weekWorkload: Workload = {
  name: 'week',
  title: 'Read a busy week of a Care Provider of the largest Clinic, about 30 Sessions',
  open: (scene) => () => {
    const days = BUSY_DAYS.reduce((sum, distance) => sum + distance * scene.randomInteger(2), 28);
    const from = Temporal.PlainDate.from('2027-01-04').add({ days: days - (days % 7) + 7 });
    const headers = scene.careProviderHeaders(1 + scene.randomInteger(CARE_PROVIDERS));
    return { method: 'GET', path: `${CAREGIVER}/week?from=${from.toString()}`, headers };
  },
};

export const rescheduleWorkload: Workload = {
  name: 'reschedule',
  title: 'Move a Session of a series of ten',
  async open(scene) {
    const { rows } = await scene.owner.query<{ id: string; caregiver_id: string; version: number }>(
      `select id, caregiver_id, version from session where clinic_id > 1 and series_id in (
        select id from session_series where clinic_id > 1 and revision is null and reminders = '["-P1D"]' order by id limit 2000)
        order by position, series_id`,
    );
    let next = scene.randomInteger(rows.length);
    return () => {
      const session = rows[next]!;
      next = (next + 1) % rows.length;
      const headers = {
        ...scene.careProviderHeaders(Number(session.caregiver_id)),
        'content-type': 'application/json',
        'if-match': `"${session.version}"`,
      };
      session.version += 1;
      const path = `${CAREGIVER}/session/${session.id}`;
      return { method: 'PATCH', path, headers, body: JSON.stringify(scene.randomSlot()) };
    };
  },
};

/** A typical mix of requests: mostly reads, and some writes. */
export const mixedWorkload: Workload = {
  name: 'mixed',
  title: 'Mixed: 80 % reads',
  async open(scene) {
    const share: [number, Workload][] = [
      [40, listSessionsWorkload],
      [40, getPlanWorkload],
      [8, createSessionWorkload],
      [4, rescheduleWorkload],
      [4, createSessionsWorkload],
      [2, createPlanWorkload],
      [2, applyPlanWorkload],
    ];
    const sources = await Promise.all(share.map(async ([, workload]) => workload.open(scene)));
    const wheel = share.flatMap(([percent], index) => Array.from({ length: percent }, () => sources[index]!));
    return () => wheel[scene.randomInteger(wheel.length)]!();
  },
};

export const WORKLOADS: readonly Workload[] = [
  createPlanWorkload,
  createSessionWorkload,
  createSessionsWorkload,
  applyPlanWorkload,
  getPlanWorkload,
  listSessionsWorkload,
  listIncludedWorkload,
  weekWorkload,
  rescheduleWorkload,
  mixedWorkload,
];

function sessionCall(scene: RequestGenerator, sessionCount: number, books: number): BenchmarkRequest {
  const { clientId, headers } = scene.randomCareProviderWithClient();
  return post(`${CAREGIVER}/session`, headers, {
    clientId,
    title: 'Sleep session',
    description: 'Weekly review of the sleep diary',
    ...scene.randomSlot(),
    sessionCount,
    bookIdList: scene.randomBooks(books),
    remindDays: 7,
  });
}

function weekOf(ordering: number, books: readonly number[]) {
  const assignReminds = [
    { reminderDay: 2, time: '09:30' },
    { reminderDay: 5, time: '20:00' },
  ];
  return { name: `Week ${ordering}`, ordering, assignments: books.map((bookId) => ({ bookId, assignReminds })) };
}

function post(path: string, headers: Record<string, string>, body: object): BenchmarkRequest {
  return {
    method: 'POST',
    path,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
}

function tokenOf(role: 'CLINIC' | 'CARE_PROVIDER', id: number): Promise<string> {
  return signToken(readEnvironment(TOKEN_VARIABLES).token, { role, id, lifetime: '12h' });
}

/** Creates a generator of pseudo-random numbers from 0 to 1 (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
