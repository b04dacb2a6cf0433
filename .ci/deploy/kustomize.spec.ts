import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { findResource, FOLDER, withComponent, type Resource } from '../../test/support/operations/kubernetes.js';

/*
 * Builds deploy/kubernetes, and the lines of docs/deployment.md, with Kustomize. If it is not installed, the tests are
 * skipped with a message (Debian: apt-get install kustomize).
 */

const isInstalled = spawnSync('kustomize', ['version']).status === 0;
if (!isInstalled) process.stdout.write('Skipped: kustomize is not installed (Debian: apt-get install kustomize).\n');
const describeInstalled = isInstalled ? describe : describe.skip;

const PRODUCTION = `${FOLDER}/overlays/production`;

function build(folder: string): Resource[] {
  const { status, stdout, stderr } = spawnSync('kustomize', ['build', folder], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  return parseAllDocuments(stdout).map((document) => document.toJS() as Resource);
}

const find = (built: readonly Resource[], kind: string) => built.find((resource) => resource.kind === kind)!;

/** Returns the YAML blocks of the section about encryption, in their order. */
function readDocumentedLines(): string[] {
  const [, section] = /\n### Encryption in Kubernetes\n(.*?)\n##/s.exec(readFileSync('docs/deployment.md', 'utf8'))!;
  return [...section!.matchAll(/```yaml\n(.*?)```/gs)].map(([, lines]) => lines!);
}

describeInstalled('kustomize build', () => {
  let folder: string;
  beforeAll(() => (folder = realpathSync(mkdtempSync(join(tmpdir(), 'care-kustomize-')))));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Builds a copy of the overlay for production with further entries in its lists. */
  function buildProductionWith(...additions: readonly string[]): Resource[] {
    const overlay = mkdtempSync(join(folder, 'overlay-'));
    const lists = parse(readFileSync(`${PRODUCTION}/kustomization.yaml`, 'utf8')) as Record<string, unknown[]>;
    for (const addition of additions) {
      for (const [name, entries] of Object.entries(parse(addition) as Record<string, unknown[]>))
        lists[name] = [...(lists[name] ?? []), ...entries];
    }
    const source = stringify(lists).replaceAll('../../', `${relative(overlay, FOLDER)}/`);
    writeFileSync(join(overlay, 'kustomization.yaml'), source);
    return build(overlay);
  }

  it.each(
    globSync(`${FOLDER}/**/kustomization.yaml`)
      .map((file) => dirname(file))
      .filter((path) => !path.includes('/components/')),
  )('accepts %s', (path) => {
    const built = build(path);
    expect(built.length).toBeGreaterThan(0);
    if (!path.startsWith(PRODUCTION)) return;
    for (const { kind, metadata } of built)
      expect([kind, metadata]).toEqual([kind, expect.objectContaining({ namespace: 'care' })]);
    const workloads = built.filter(({ kind }) => ['Deployment', 'Job'].includes(kind));
    expect(workloads.map(({ spec }) => spec.template.spec.containers[0].image)).toEqual([
      'registry.example.org/care-scheduling:0.1.0',
    ]);
  });

  it('refuses a file that does not exist', () => {
    mkdirSync(join(folder, 'broken'));
    writeFileSync(join(folder, 'broken', 'kustomization.yaml'), 'resources:\n  - absent.yaml\n');
    expect(spawnSync('kustomize', ['build', join(folder, 'broken')]).status).not.toBe(0);
  });

  it('applies the component for encryption as the other tests assume', () => {
    const built = buildProductionWith('components: [../../components/encryption]');
    const plain = build(PRODUCTION);
    const deployment = find(plain, 'Deployment');
    expect(find(built, 'Deployment').spec).toEqual(withComponent('encryption', deployment).spec);
    expect(find(built, 'ConfigMap').data).toEqual(withComponent('encryption', find(plain, 'ConfigMap')).data);
    expect(find(built, 'PersistentVolumeClaim').spec).toEqual(findResource('PersistentVolumeClaim').spec);
  });

  it('adds the keys, then encrypts, with the lines of the documentation', () => {
    const [lines, keysOnly] = readDocumentedLines();
    const encrypted = buildProductionWith(lines!);
    expect(find(encrypted, 'ConfigMap').data).toMatchObject({ ENCRYPTION_KEYS_FILE: expect.any(String) });
    expect(find(encrypted, 'ConfigMap').data).not.toHaveProperty('ENCRYPTION');
    expect(find(encrypted, 'PersistentVolumeClaim').spec.storageClassName).toEqual(expect.any(String));
    const prepared = find(buildProductionWith(lines!, keysOnly!), 'ConfigMap').data;
    expect(prepared).toEqual({ ...find(encrypted, 'ConfigMap').data, ENCRYPTION: 'off' });
  });
});
