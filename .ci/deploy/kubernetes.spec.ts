import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { parseAllDocuments } from 'yaml';
import '../../src/ops/metrics/metrics-environment.js';
import { listDeclaredVariables } from '../../src/shared/config/declared-variables.js';
import { readEnvironment } from '../../src/shared/config/env.js';

/*
 * Checks deploy/kubernetes against the schemas of Kubernetes (package "kubernetes-models"): values by its validators, and
 * unknown fields by its types, because the validators accept them. Kustomize is not needed.
 */

type Resource = {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  data?: Record<string, string>;
  spec: any; // eslint-disable-line @typescript-eslint/no-explicit-any -- the type depends on the kind
};
type Model = new (resource: Resource) => { validate(): void };

const FOLDER = 'deploy/kubernetes';
/** Of Kustomize, and of the Prometheus operator. */
const OTHER_KINDS = ['Kustomization', 'Component', 'PodMonitor'];

const files = globSync(`${FOLDER}/**/*.yaml`).toSorted();
const resources = files.flatMap((file) =>
  parseAllDocuments(readFileSync(file, 'utf8')).map((document) => [file, document.toJS() as Resource] as const),
);
const ofKubernetes = resources.filter(([, { kind }]) => !OTHER_KINDS.includes(kind));

const find = (kind: string) => resources.find(([, resource]) => resource.kind === kind)![1];
const podOf = (kind: string) => find(kind).spec.template.spec;

/** `kubernetes-models/apps/v1/Deployment`. */
const moduleOf = ({ apiVersion, kind }: Resource) => `kubernetes-models/${apiVersion}/${kind}`;

describe.each(ofKubernetes.map(([file, resource]) => [file, resource.kind, resource] as const))(
  '%s: %s',
  (_, kind, resource) => {
    it('has values as Kubernetes requires them', async () => {
      const { [kind]: KindModel } = (await import(moduleOf(resource))) as Record<string, Model>;
      expect(() => new KindModel!(resource).validate()).not.toThrow();
    });
  },
);

it('has no field that Kubernetes does not know', () => {
  const misspelt = structuredClone(find('Deployment'));
  misspelt.spec.template.spec.containers[0].readinessProb = {};
  // The misspelt field is the only one that is found.
  const errors = findTypeErrors([...ofKubernetes.map(([, resource]) => resource), misspelt]);
  expect(errors).toEqual([expect.stringContaining('readinessProb')]);
}, 60_000);

/** Lets TypeScript compare literals with the types of the kinds: it refuses fields that a type does not have. */
function findTypeErrors(given: readonly Resource[]): string[] {
  const path = join(import.meta.dirname, 'resources.ts');
  const source = given
    .map(
      (resource, index) =>
        `import type { I${resource.kind} as K${index} } from '${moduleOf(resource)}';\n` +
        `export const r${index}: K${index} = ${JSON.stringify(resource)};\n`,
    )
    .join('');
  const options: ts.CompilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: true, types: [], lib: ['lib.es2022.d.ts'] },
    ...{
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
    },
  };
  const host = ts.createCompilerHost(options);
  const readFile = host.readFile.bind(host);
  const fileExists = host.fileExists.bind(host);
  host.readFile = (file) => (file === path ? source : readFile(file));
  host.fileExists = (file) => file === path || fileExists(file);
  host.getSourceFile = (file, languageVersion) => {
    const text = host.readFile(file);
    return text === undefined ? undefined : ts.createSourceFile(file, text, languageVersion);
  };
  const program = ts.createProgram([path], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

it('lists every file in a kustomization, and every kustomization lists existing files', () => {
  const lists = resources.filter(([, { kind }]) => ['Kustomization', 'Component'].includes(kind));
  const listed = lists.flatMap(([file, resource]) => {
    const { resources: own = [], components = [] } = resource as unknown as Record<string, string[] | undefined>;
    return [...own, ...components].map((path) => join(file, '..', path));
  });
  const existing = new Set(files.flatMap((file) => [file, join(file, '..')]));
  expect(listed.filter((path) => !existing.has(path))).toEqual([]);
  expect(ofKubernetes.map(([file]) => file).filter((file) => !listed.includes(file))).toEqual([]);
});

it('has variables that the service knows, with values that it accepts', () => {
  const variables = find('ConfigMap').data!;
  const known = listDeclaredVariables().flatMap(({ shape }) => Object.keys(shape));
  expect(Object.keys(variables).filter((name) => !known.includes(name))).toEqual([]);
  const environment = readEnvironment({ ...variables, ...readSecret(), NODE_ENV: 'production', HOST: '0.0.0.0' });
  expect(environment.token.key.kind).not.toBe('secret');
  expect(environment.database).toMatchObject({
    url: expect.stringContaining('scheduling_app_requests'),
    logins: {
      reminders: expect.stringContaining('scheduling_app_reminders'),
      audit: expect.stringContaining('scheduling_app_audit'),
      jobs: expect.stringContaining('scheduling_app_jobs'),
    },
  });
});

describe('the component for encryption', () => {
  type Change = { op: string; path: string; value?: any }; // eslint-disable-line @typescript-eslint/no-explicit-any -- the type depends on the path
  const component = parseAllDocuments(readFileSync(`${FOLDER}/components/encryption/kustomization.yaml`, 'utf8'))[0]!;
  const { patches } = component.toJS() as { patches: { target: { kind: string }; patch: string }[] };
  const changesOf = (kind: string) =>
    patches
      .filter(({ target }) => target.kind === kind)
      .flatMap(({ patch }) => parseAllDocuments(patch)[0]!.toJS() as Change[]);

  it('has variables that the service knows, in place of the one that turns encryption off', () => {
    const [removed, ...added] = changesOf('ConfigMap');
    expect([removed!.op, removed!.path, find('ConfigMap').data!['ENCRYPTION']]).toEqual([
      ...['remove', '/data/ENCRYPTION', 'off'],
    ]);
    const known = listDeclaredVariables().flatMap(({ shape }) => Object.keys(shape));
    const names = added.map(({ path }) => path.replace('/data/', '').replace(/_FILE$/, ''));
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('mounts the shared key store and the key ring where the variables say', () => {
    const variables = Object.fromEntries(
      changesOf('ConfigMap').map(({ path, value }) => [path.slice(6), value as string]),
    );
    const values = changesOf('Deployment').map(({ value }) => value as { name?: string; mountPath?: string });
    const mounts = values.filter(({ mountPath }) => mountPath !== undefined);
    const paths = mounts.map(({ mountPath }) => mountPath);
    expect(paths).toContain(variables['ENCRYPTION_KEY_DIRECTORY']);
    expect(paths).toContain(variables['ENCRYPTION_KEYS_FILE']!.replace(/\/keys$/, ''));
    const volumes = changesOf('Deployment').filter(({ path }) => path === '/spec/template/spec/volumes/-');
    expect(volumes.map(({ value }) => (value as { name: string }).name).toSorted()).toEqual(
      mounts.map(({ name }) => name!).toSorted(),
    );
    expect(find('PersistentVolumeClaim')).toMatchObject({
      ...{ metadata: { name: 'care-scheduling-keys' }, spec: { accessModes: ['ReadWriteMany'] } },
    });
  });
});

/** Returns the variables of the secret that docs/deployment.md creates. */
function readSecret(): Record<string, string> {
  const page = readFileSync('docs/deployment.md', 'utf8');
  const [, literals] = /secret generic care-scheduling \\\n((?: +--from-literal.*\n)+)/.exec(page)!;
  return Object.fromEntries(
    [...literals!.matchAll(/--from-literal=(\w+)=["']?([^"'\n]*)/g)].map(([, name, value]) => [name!, value!]),
  );
}

it('names in the deployment the variables of the secret that has the logins', () => {
  const manifest = readFileSync(`${FOLDER}/base/deployment.yaml`, 'utf8');
  const urls = Object.keys(readSecret()).filter((name) => name.endsWith('_URL'));
  expect(urls).toHaveLength(4);
  for (const name of urls) expect(manifest).toContain(name);
});

it.each(['Deployment', 'Job'])('%s runs without privileges on a read-only file system, and holds no secret', (kind) => {
  const pod = podOf(kind);
  const [container] = pod.containers;
  expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
  expect(container.securityContext).toEqual({
    ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
  });
  expect(pod.automountServiceAccountToken).toBe(false);
  expect(container.resources).toMatchObject({ requests: expect.any(Object), limits: { memory: expect.any(String) } });
  expect(container.env).toBeUndefined();
});

it('probes operations that exist, and ends later than the service', () => {
  const [container] = podOf('Deployment').containers;
  const paths = ['startupProbe', 'livenessProbe', 'readinessProbe'].map((name) => container[name].httpGet.path);
  expect(paths).toEqual(['/health/live', '/health/live', '/health/ready']);
  // The service exits after 9.5 s at the latest (src/ops/process/graceful-shutdown.ts).
  expect(podOf('Deployment').terminationGracePeriodSeconds).toBeGreaterThan(10);
});

it('selects the pods of the deployment with the service, the budget, the network policy and the monitor', () => {
  const { labels } = find('Deployment').spec.template.metadata;
  const selectors = [
    find('Service').spec.selector,
    find('PodDisruptionBudget').spec.selector.matchLabels,
    find('NetworkPolicy').spec.podSelector.matchLabels,
    find('PodMonitor').spec.selector.matchLabels,
    find('Deployment').spec.selector.matchLabels,
  ];
  for (const selector of selectors) expect(labels).toMatchObject(selector);
  const ports = podOf('Deployment').containers[0].ports.map(({ name }: { name: string }) => name);
  expect(ports).toEqual(expect.arrayContaining(['http', find('PodMonitor').spec.podMetricsEndpoints[0].port]));
  expect(find('HorizontalPodAutoscaler').spec.scaleTargetRef.name).toBe(find('Deployment').metadata.name);
});
