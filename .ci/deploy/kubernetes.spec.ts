import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import '../../src/ops/metrics/metrics-environment.js';
import { listDeclaredVariables } from '../../src/shared/config/declared-variables.js';
import { readEnvironment } from '../../src/shared/config/env.js';
import {
  findResource as find,
  FOLDER,
  kubernetesResources as ofKubernetes,
  manifestFiles as files,
  readDocumentedSecret,
  resources,
  withComponent,
  type Resource,
} from '../../test/support/operations/kubernetes.js';

/*
 * Checks deploy/kubernetes against the schemas of Kubernetes (package "kubernetes-models"): values by its validators, and
 * unknown fields by its types, because the validators accept them. Kustomize is not needed; kustomize.spec.ts runs it.
 */

type Model = new (resource: Resource) => { validate(): void };

const podOf = (resource: Resource) => resource.spec.template.spec;
const encrypted = {
  configMap: withComponent('encryption', find('ConfigMap')),
  deployment: withComponent('encryption', find('Deployment')),
};
/** Resources that have pods, with the component and without it. */
const workloads = [
  ...ofKubernetes.map(([, resource]) => resource).filter(({ kind }) => ['Deployment', 'Job'].includes(kind)),
  encrypted.deployment,
];

/** `kubernetes-models/apps/v1/Deployment`. */
const moduleOf = ({ apiVersion, kind }: Resource) => `kubernetes-models/${apiVersion}/${kind}`;

describe.each([
  ...ofKubernetes.map(([file, resource]) => [file, resource.kind, resource] as const),
  ['with encryption', 'Deployment', encrypted.deployment] as const,
])('%s: %s', (_, kind, resource) => {
  it('has values as Kubernetes requires them', async () => {
    const { [kind]: KindModel } = (await import(moduleOf(resource))) as Record<string, Model>;
    expect(() => new KindModel!(resource).validate()).not.toThrow();
  });
});

it('has no field that Kubernetes does not know', () => {
  const misspelt = structuredClone(find('Deployment'));
  misspelt.spec.template.spec.containers[0].readinessProb = {};
  // The misspelt field is the only one that is found.
  const errors = findTypeErrors([...ofKubernetes.map(([, resource]) => resource), encrypted.deployment, misspelt]);
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
  const environment = readEnvironment({
    ...variables,
    ...readDocumentedSecret(),
    NODE_ENV: 'production',
    HOST: '0.0.0.0',
  });
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
  const { configMap, deployment } = encrypted;
  const variables = configMap.data!;
  const folder = mkdtempSync(join(tmpdir(), 'care-ring-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('has variables that the service knows, in place of the one that turns encryption off', () => {
    expect([find('ConfigMap').data!['ENCRYPTION'], variables['ENCRYPTION']]).toEqual(['off', undefined]);
    const known = listDeclaredVariables().flatMap(({ shape }) => Object.keys(shape));
    const names = Object.keys(variables).map((name) => name.replace(/_FILE$/, ''));
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('encrypts with the key ring of the secret that its comment creates', () => {
    const comment = readFileSync(`${FOLDER}/components/encryption/kustomization.yaml`, 'utf8');
    const [, key] = /generic care-scheduling-encryption --from-literal=(\w+)="2026:/.exec(comment)!;
    expect(variables['ENCRYPTION_KEYS_FILE']).toBe(`/run/secrets/encryption/${key}`);
    const ring = join(folder, 'keys');
    writeFileSync(ring, `2026:${Buffer.alloc(32, 1).toString('base64')}\n`);
    const mounted = { ...variables, ...readDocumentedSecret(), NODE_ENV: 'production', ENCRYPTION_KEYS_FILE: ring };
    expect(readEnvironment(mounted).encryption).toMatchObject({
      ...{ encrypts: true, keys: { kind: 'configured', directory: '/var/lib/care-scheduling/keys' } },
    });
  });

  it.each(
    [deployment, find('Job', 'care-scheduling-encrypt-rows')].map((resource) => [resource.kind, podOf(resource)]),
  )(
    'the pod of the %s has the shared key store and the key ring where the variables say, and may use them',
    (_, pod) => {
      const [container] = pod.containers;
      const mounts = container.volumeMounts.filter(({ name }: { name: string }) => name.startsWith('key-'));
      expect(mounts).toEqual([
        { name: 'key-store', mountPath: variables['ENCRYPTION_KEY_DIRECTORY'] },
        { name: 'key-ring', mountPath: dirname(variables['ENCRYPTION_KEYS_FILE']!), readOnly: true },
      ]);
      const { metadata, spec } = find('PersistentVolumeClaim');
      expect(spec.accessModes).toEqual(['ReadWriteMany']);
      expect(pod.volumes.filter(({ name }: { name: string }) => name.startsWith('key-'))).toEqual([
        { name: 'key-store', persistentVolumeClaim: { claimName: metadata.name } },
        // Only root and the group of the pod can read it.
        { name: 'key-ring', secret: { secretName: 'care-scheduling-encryption', defaultMode: 0o440 } },
      ]);
      const { runAsUser, runAsGroup, fsGroup, fsGroupChangePolicy } = pod.securityContext;
      expect([runAsUser, runAsGroup, fsGroup, fsGroupChangePolicy]).toEqual([1000, 1000, 1000, 'OnRootMismatch']);
    },
  );

  it('gives the migration no keys', () => {
    const pod = podOf(find('Job', 'care-scheduling-migration'));
    expect([pod.volumes, pod.containers[0].volumeMounts]).toEqual([undefined, undefined]);
  });
});

it.each(workloads.filter(({ kind }) => kind === 'Job'))(
  '$metadata.name runs a command of the image as the owner',
  (job) => {
    const [container] = podOf(job).containers;
    const [node, command] = container.command;
    const sources = globSync('src/cli/*.ts').map((file) => `dist/${file.replace(/ts$/, 'js')}`);
    expect([node, sources.includes(command)]).toEqual(['node', true]);
    const names = container.envFrom.map((from: Record<string, { name: string }>) => Object.values(from)[0]!.name);
    expect(names).toEqual(['care-scheduling', 'care-scheduling', 'care-scheduling-owner']);
    expect(job.spec.template.metadata.labels).toMatchObject(find('NetworkPolicy').spec.podSelector.matchLabels);
  },
);

it('deletes each Job before it applies it, because a Job that has ended does not run again', () => {
  const commands = readFileSync('docs/deployment.md', 'utf8').split('\n');
  for (const { metadata } of workloads.filter(({ kind }) => kind === 'Job')) {
    const folder = metadata.name.replace('care-scheduling-', '');
    const applied = commands.indexOf(`kubectl apply --kustomize ${FOLDER}/overlays/production/${folder}`);
    expect(commands[applied - 1]).toBe(`kubectl --namespace care delete job ${metadata.name} --ignore-not-found`);
  }
});

it('names in the deployment the variables of the secret that has the logins', () => {
  const manifest = readFileSync(`${FOLDER}/base/deployment.yaml`, 'utf8');
  const urls = Object.keys(readDocumentedSecret()).filter((name) => name.endsWith('_URL'));
  expect(urls).toHaveLength(4);
  for (const name of urls) expect(manifest).toContain(name);
});

it.each(workloads)(
  '$metadata.name runs without privileges on a read-only file system, and holds no secret',
  (resource) => {
    const pod = podOf(resource);
    const [container] = pod.containers;
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    expect(container.securityContext).toEqual({
      ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
    });
    expect(pod.automountServiceAccountToken).toBe(false);
    expect(container.resources).toMatchObject({ requests: expect.any(Object), limits: { memory: expect.any(String) } });
    expect(container.env).toBeUndefined();
  },
);

it('probes operations that exist, and ends later than the service', () => {
  const [container] = podOf(find('Deployment')).containers;
  const paths = ['startupProbe', 'livenessProbe', 'readinessProbe'].map((name) => container[name].httpGet.path);
  expect(paths).toEqual(['/health/live', '/health/live', '/health/ready']);
  // The service exits after 9.5 s at the latest (src/ops/process/graceful-shutdown.ts).
  expect(podOf(find('Deployment')).terminationGracePeriodSeconds).toBeGreaterThan(10);
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
  const ports = podOf(find('Deployment')).containers[0].ports.map(({ name }: { name: string }) => name);
  expect(ports).toEqual(expect.arrayContaining(['http', find('PodMonitor').spec.podMetricsEndpoints[0].port]));
  expect(find('HorizontalPodAutoscaler').spec.scaleTargetRef.name).toBe(find('Deployment').metadata.name);
});
