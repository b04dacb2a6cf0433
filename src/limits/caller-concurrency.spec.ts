import type { Environment } from '../shared/config/env.js';
import type { Actor } from '../shared/persistence/index.js';
import { CallerConcurrency } from './caller-concurrency.js';

/** With three connections, one request of a caller runs at a time. */
const environment = { database: { kind: 'server', poolSize: 3 }, maxRequestsAtWork: 10 } as unknown as Environment;

/** Whether a request of `other` runs while one of `first` does. */
async function runTogether(first: Actor, other: Actor): Promise<boolean> {
  const concurrency = new CallerConcurrency(environment);
  const blocker = Promise.withResolvers<null>();
  const running = concurrency.run(first, () => blocker.promise);
  let hasBegun = false;
  const second = concurrency.run(other, async () => void (hasBegun = true));
  await new Promise((resolve) => setImmediate(resolve));
  const hadBegun = hasBegun;
  blocker.resolve(null);
  await Promise.all([running, second]);
  expect(hasBegun).toBe(true);
  return hadBegun;
}

const actors: Record<string, Actor> = {
  'a Clinic': { role: 'CLINIC', clinicId: 1 },
  'another Clinic': { role: 'CLINIC', clinicId: 2 },
  'a Care Provider': { role: 'CARE_PROVIDER', clinicId: 1, caregiverId: 1 },
  'another Care Provider': { role: 'CARE_PROVIDER', clinicId: 1, caregiverId: 2 },
  'a Client': { role: 'CLIENT', clinicId: 1, clientId: 1 },
  'another Client': { role: 'CLIENT', clinicId: 1, clientId: 2 },
  'a calendar link': { role: 'CALENDAR_LINK', secretHash: '1' },
  'another calendar link': { role: 'CALENDAR_LINK', secretHash: '2' },
  'an opt-out link': { role: 'OPT_OUT_LINK', secretHash: '1' },
  'another opt-out link': { role: 'OPT_OUT_LINK', secretHash: '2' },
} as object as Record<string, Actor>;

it.each(Object.keys(actors))(
  'a request of %s waits for another of the same caller, and for no other caller',
  async (name) => {
    for (const other of Object.keys(actors)) {
      expect([other, await runTogether(actors[name]!, { ...actors[other]! })]).toEqual([other, other !== name]);
    }
  },
);
