import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import spdxSatisfies from 'spdx-satisfies';

/*
 * npm run check:supply: what comes from elsewhere is named exactly, is listed, and may be used.
 * Writes the bill of materials of production to dist/sbom.cdx.json (CycloneDX).
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

/** Licences that ask for no more than to be named. Anything else is for a person to read, and to add here. */
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

/** Packages whose package.json says it in a way that npm does not read; looked up by hand, for this version alone. */
const READ_BY_HAND: Record<string, string> = {
  // "licenses": [{ "type": "MIT" }], the form of 2012.
  'pause@0.0.1': 'MIT',
};

const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

/** Paths of versions that are not exact: a range would let a release that nobody has looked at in. */
function ranges(versions: Versions, path: string): string[] {
  return Object.entries(versions).flatMap(([name, version]) => {
    if (typeof version === 'object') return ranges(version, `${path}.${name}`);
    return /^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(version) ? [] : [`${path}.${name} is a range: ${version}`];
  });
}

/** Packages that npm could not hold against a checksum, or that do not come from the registry. */
function unverifiable(locked: [string, Locked][]): string[] {
  return locked
    .filter(
      ([, { integrity, resolved }]) => !integrity || !/^https:\/\/registry\.npmjs\.org\//.test(resolved ?? REGISTRY),
    )
    .map(([path]) => `${path} has no checksum in package-lock.json, or is not from the registry`);
}
/** The lock file leaves `resolved` out where it is the registry. */
const REGISTRY = 'https://registry.npmjs.org/';

/**
 * Production's part of the bill of materials that npm writes. Not by `--omit=dev`: npm 11 then leaves out whatever a
 * development tool needs as well, nodemailer among it.
 */
function billOfMaterials(direct: Versions): Bill {
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

/** What the lock file says production needs, wherever it runs; optional packages are for some platforms only. */
function missing(locked: [string, Locked][], components: Component[]): string[] {
  const listed = new Set(components.map(nameOf));
  return locked
    .filter(([, { dev, devOptional, optional }]) => !dev && !devOptional && !optional)
    .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`)
    .filter((name) => !listed.has(name))
    .map((name) => `${name} is not in the bill of materials`);
}

function unlicensed(components: Component[]): string[] {
  return components
    .map((component) => ({ name: nameOf(component), licence: licenceOf(component) }))
    .filter(({ licence }) => !isAllowed(licence))
    .map(({ name, licence }) => `${name} has the licence ${licence}, which is not on the list`);
}

function licenceOf(component: Component): string {
  const [first] = component.licenses ?? [];
  return first?.expression ?? first?.license?.id ?? READ_BY_HAND[nameOf(component)] ?? 'unknown';
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
const complaints = [...ranges({ dependencies, devDependencies, overrides }, 'package.json'), ...unverifiable(locked)];
// npm writes no bill of what does not match.
if (complaints.length === 0) {
  const bill = billOfMaterials(dependencies);
  mkdirSync('dist', { recursive: true });
  writeFileSync('dist/sbom.cdx.json', `${JSON.stringify(bill, null, 2)}\n`);
  complaints.push(...missing(locked, bill.components), ...unlicensed(bill.components));
  process.stdout.write(`${bill.components.length} packages in production\n`);
}
for (const complaint of complaints) process.stderr.write(`${complaint}\n`);
if (complaints.length > 0) process.exitCode = 1;
