import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import spdxSatisfies from 'spdx-satisfies';

/*
 * npm run check:supply: checks that all dependencies have exact versions, checksums and allowed licences. Writes the
 * bill of materials for production to dist/sbom.cdx.json (CycloneDX).
 */

type Versions = { [name: string]: string | Versions };
type Manifest = { dependencies: Versions; devDependencies: Versions; overrides: Versions };
type Locked = {
  version: string;
  integrity?: string;
  resolved?: string;
  dev?: boolean;
  devOptional?: boolean;
  optional?: boolean;
};
type Component = {
  'bom-ref': string;
  name: string;
  version: string;
  licenses?: { license?: { id?: string }; expression?: string }[];
};

type Bill = {
  metadata: { component: { 'bom-ref': string } };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
};

/** Licences that only require attribution. Any other licence must be reviewed by a person before it is added here. */
const ALLOWED = [
  'MIT',
  'MIT-0',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'Python-2.0',
  'Unlicense',
];

/** Licences that npm cannot read from package.json, reviewed by hand for exactly these versions. */
const REVIEWED_LICENCES: Record<string, string> = {
  // Uses the outdated form "licenses": [{ "type": "MIT" }].
  'pause@0.0.1': 'MIT',
};

const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

/** Lists versions that are not exact, because a range could install unreviewed releases. */
function findRanges(versions: Versions, path: string): string[] {
  return Object.entries(versions).flatMap(([name, version]) => {
    if (typeof version === 'object') return findRanges(version, `${path}.${name}`);
    return /^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(version) ? [] : [`${path}.${name} is a range: ${version}`];
  });
}

/** Lists packages that have no checksum or do not come from the registry. */
function findUnverifiable(locked: [string, Locked][]): string[] {
  return locked
    .filter(
      ([, { integrity, resolved }]) => !integrity || !/^https:\/\/registry\.npmjs\.org\//.test(resolved ?? REGISTRY),
    )
    .map(([path]) => `${path} has no checksum in package-lock.json, or is not from the registry`);
}
/** The value assumed for `resolved` if the lock file omits it. */
const REGISTRY = 'https://registry.npmjs.org/';

/**
 * Reduces npm's bill of materials to production dependencies. `--omit=dev` is not used, because npm 11 then also omits
 * production packages that a development tool needs, such as nodemailer.
 */
function createBillOfMaterials(direct: Versions): Bill {
  const all = JSON.parse(
    execFileSync('npm', ['sbom', '--sbom-format=cyclonedx'], { encoding: 'utf8', maxBuffer: 2 ** 26 }),
  ) as Bill;
  const needs = new Map(all.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const used = new Set<string>();
  const use = (ref: string): void => {
    if (used.has(ref)) return;
    used.add(ref);
    for (const needed of needs.get(ref) ?? []) use(needed);
  };
  const own = needs.get(all.metadata.component['bom-ref'])!;
  for (const ref of own) if (ref.replace(/@[^@]*$/, '') in direct) use(ref);
  return {
    ...all,
    components: all.components.filter((component) => used.has(component['bom-ref'])),
    dependencies: all.dependencies.filter(({ ref }) => used.has(ref)),
  };
}

/** Lists production packages in the lock file that are not in the bill of materials. Optional packages are skipped. */
function findMissing(locked: [string, Locked][], components: Component[]): string[] {
  const listed = new Set(components.map(nameOf));
  return locked
    .filter(([, { dev, devOptional, optional }]) => !dev && !devOptional && !optional)
    .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`)
    .filter((name) => !listed.has(name))
    .map((name) => `${name} is not in the bill of materials`);
}

function findUnlicensed(components: Component[]): string[] {
  return components
    .map((component) => ({ name: nameOf(component), licence: licenceOf(component) }))
    .filter(({ licence }) => !isAllowed(licence))
    .map(({ name, licence }) => `${name} has the licence ${licence}, which is not on the list`);
}

function licenceOf(component: Component): string {
  const [first] = component.licenses ?? [];
  return first?.expression ?? first?.license?.id ?? REVIEWED_LICENCES[nameOf(component)] ?? 'unknown';
}

function isAllowed(licence: string): boolean {
  try {
    return spdxSatisfies(licence, ALLOWED);
  } catch {
    // Not an SPDX expression.
    return false;
  }
}

function nameOf({ name, version }: Component): string {
  return `${name}@${version}`;
}

const { dependencies, devDependencies, overrides } = read('package.json') as Manifest;
const { packages } = read('package-lock.json') as { packages: Record<string, Locked> };
const locked = Object.entries(packages).filter(([path]) => path !== '');
const complaints = [
  ...findRanges({ dependencies, devDependencies, overrides }, 'package.json'),
  ...findUnverifiable(locked),
];
// npm fails if package.json and the lock file do not match.
if (complaints.length === 0) {
  const bill = createBillOfMaterials(dependencies);
  mkdirSync('dist', { recursive: true });
  writeFileSync('dist/sbom.cdx.json', `${JSON.stringify(bill, null, 2)}\n`);
  complaints.push(...findMissing(locked, bill.components), ...findUnlicensed(bill.components));
  process.stdout.write(`${bill.components.length} packages in production\n`);
}
for (const complaint of complaints) process.stderr.write(`${complaint}\n`);
if (complaints.length > 0) process.exitCode = 1;
