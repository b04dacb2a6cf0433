import type { Migration } from '@mikro-orm/migrations';
import { readdirSync } from 'node:fs';

type MigrationClass = new (...parameters: ConstructorParameters<typeof Migration>) => Migration;

const names = readdirSync(import.meta.dirname)
  .map((file) => /^(migration-\d{14}-[\w-]+)\.[jt]s$/.exec(file)?.[1])
  .filter((name) => name !== undefined)
  .sort();

/** All migrations, oldest first. Each migration file in this folder exports one. */
export const migrations = await Promise.all(names.map(async (name) => ({ name, class: await load(name) })));

async function load(name: string): Promise<MigrationClass> {
  const exported = (await import(`./${name}.js`)) as Record<string, MigrationClass>;
  return Object.values(exported)[0]!;
}
