import { Stryker } from '@stryker-mutator/core';
import { existsSync } from 'node:fs';
import createDatabase from '../test/support/database/embedded.setup.js';
import removeDatabase from '../test/support/database/embedded.teardown.js';

/*
 * npm run mutate [-- <area or source> ...]: runs mutation tests for the files below. Fails if the score of an area is
 * below the minimum.
 *
 * For each mutant, only the test file of its source runs, because Jest reloads the test files for each mutant, which
 * takes longer than the tests themselves.
 */

/** The minimum percentage of killed mutants in each area. */
const MIN_SCORE = 80;

type Rules = { sources: readonly string[]; tests: string };

const rules = (source: string, ...others: string[]): Rules => ({
  sources: [source, ...others].map((name) => `src/${name}.ts`),
  tests: `src/${source}.spec.ts`,
});

const AREAS: Record<string, Rules[]> = {
  auth: [
    rules('auth/access/access.guard', 'auth/token/bearer-token', 'auth/jwt/jwt.strategy'),
    rules('auth/token/claim-path'),
    rules('auth/revocation/deny-list', 'auth/revocation/revoked-token-ids'),
    { sources: ['src/auth/keys/json-web-key-set.ts'], tests: 'test/auth/key-set.e2e-spec.ts' },
    {
      sources: ['src/auth/token/acting-role.ts', 'src/auth/access/route-access-registry.ts'],
      tests: 'test/auth/tokens.e2e-spec.ts',
    },
    { sources: ['src/auth/access/authenticate-requests.ts'], tests: 'test/auth/refusal-before-body.e2e-spec.ts' },
    rules('auth/access/refused-token-log'),
    rules('auth/keys/signing-secret'),
    rules('auth/jwt/sign-token'),
    rules('auth/token/token-claims'),
    rules('auth/token/unambiguous-json'),
    rules('auth/jwt/token-verifier', 'auth/token/token-refusal'),
    rules('auth/jwt/verified-token-cache'),
  ],
  limits: [
    rules('limits/client-address'),
    { sources: ['src/limits/connection-limit.ts'], tests: 'test/auth/refusal-before-body.e2e-spec.ts' },
    {
      sources: ['src/limits/rate-limiter.ts', 'src/limits/address-limit.ts', 'src/limits/caller-limit.ts'],
      tests: 'test/request/limits.e2e-spec.ts',
    },
  ],
  tenants: [
    rules('shared/access/access.decorator'),
    rules('shared/access/principal'),
    rules('shared/persistence/tenancy/database-session'),
    rules('migrations/tenant-table'),
  ],
  reminders: [
    rules('reminder/domain/timing/due-time'),
    rules('reminder/domain/timing/quiet-hours'),
    rules('reminder/domain/delivery-decision'),
    {
      sources: ['src/reminder/domain/preference/reminder-preference.entity.ts'],
      tests: 'src/reminder/domain/preference/reminder-preference.spec.ts',
    },
    { sources: ['src/reminder/domain/reminder.entity.ts'], tests: 'src/reminder/domain/reminder*.spec.ts' },
  ],
};

type Score = { mutants: number; killed: number; seconds: number };

/** The database of the end-to-end tests. Unit tests need none. */
let database: Promise<void> | undefined;

async function mutate({ sources, tests }: Rules): Promise<Score> {
  // The test processes inherit the environment, in which the set-up puts the location of the database.
  if (tests.endsWith('.e2e-spec.ts')) await (database ??= createDatabase());
  const startedAt = performance.now();
  const results = await new Stryker({
    mutate: [...sources],
    jest: { config: { testMatch: [`<rootDir>/${tests}`] } },
  }).runMutationTest();
  const count = (...statuses: string[]) => results.filter(({ status }) => statuses.includes(status)).length;
  // A mutant that causes an endless loop counts as killed.
  const killed = count('Killed', 'Timeout');
  const mutants = killed + count('Survived', 'NoCoverage');
  return { mutants, killed, seconds: Math.round((performance.now() - startedAt) / 1000) };
}

function sum(scores: readonly Score[]): Score & { score: string } {
  const total = (key: keyof Score) => scores.reduce((all, score) => all + score[key], 0);
  const [mutants, killed, seconds] = [total('mutants'), total('killed'), total('seconds')];
  return { mutants, killed, seconds, score: `${((100 * killed) / mutants).toFixed(2)} %` };
}

// Stryker ignores a path that names no file, so a renamed source would no longer be mutated.
const missing = Object.values(AREAS).flatMap((all) =>
  all.flatMap(({ sources }) => sources.filter((source) => !existsSync(source))),
);
if (missing.length > 0) throw new Error(`These sources do not exist: ${missing.join(', ')}`);

const selection = process.argv.slice(2);
const isSelected = (area: string, { sources }: Rules) =>
  selection.length === 0 || selection.some((name) => name === area || sources.some((source) => source.includes(name)));
const table: Record<string, Score & { score: string }> = {};
for (const [area, all] of Object.entries(AREAS)) {
  const scores: Score[] = [];
  for (const each of all) if (isSelected(area, each)) scores.push(await mutate(each));
  if (scores.length > 0) table[area] = sum(scores);
}
if (database !== undefined) removeDatabase();
// eslint-disable-next-line no-console -- the result of the script
console.table(table);
if (Object.values(table).some(({ mutants, killed }) => 100 * killed < MIN_SCORE * mutants)) process.exitCode = 1;
