import { globSync, readFileSync } from 'node:fs';
import { parse, parseAllDocuments } from 'yaml';

/* Reads the manifests in deploy/kubernetes, without Kustomize. */

export type Resource = {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  data?: Record<string, string>;
  spec: any; // eslint-disable-line @typescript-eslint/no-explicit-any -- the type depends on the kind
};

export const FOLDER = 'deploy/kubernetes';
/** Of Kustomize, and of the Prometheus operator. */
const OTHER_KINDS = ['Kustomization', 'Component', 'PodMonitor'];

export const manifestFiles = globSync(`${FOLDER}/**/*.yaml`).toSorted();
/** All resources, with their files. */
export const resources = manifestFiles.flatMap((file) =>
  parseAllDocuments(readFileSync(file, 'utf8')).map((document) => [file, document.toJS() as Resource] as const),
);
export const kubernetesResources = resources.filter(([, { kind }]) => !OTHER_KINDS.includes(kind));

/** Finds a resource, by its name if there are several of the kind. */
export function findResource(kind: string, name?: string): Resource {
  const found = resources.filter(
    ([, resource]) => resource.kind === kind && (name === undefined || resource.metadata.name === name),
  );
  if (found.length !== 1) throw new Error(`There are ${found.length} resources ${kind} ${name ?? ''}`);
  return found[0]![1];
}

type Change = { op: 'add' | 'remove' | 'replace'; path: string; value?: unknown };
type Component = { patches: { target: { kind: string; name: string }; patch: string }[] };

/** Returns a resource with the JSON patches of a component (RFC 6902), as Kustomize applies them. */
export function withComponent(component: string, resource: Resource): Resource {
  const file = `${FOLDER}/components/${component}/kustomization.yaml`;
  const { patches } = parse(readFileSync(file, 'utf8')) as Component;
  const patched = structuredClone(resource);
  for (const { target, patch } of patches) {
    if (target.kind !== resource.kind || target.name !== resource.metadata.name) continue;
    for (const change of parse(patch) as Change[]) applyChange(patched, change);
  }
  return patched;
}

function applyChange(resource: Resource, { op, path, value }: Change): void {
  const steps = path.slice(1).split('/');
  const last = steps.pop()!;
  let parent = resource as unknown as Record<string, unknown>;
  for (const step of steps) parent = parent[step] as Record<string, unknown>;
  if (Array.isArray(parent) && last === '-' && op === 'add') parent.push(value);
  else if (op === 'add') parent[last] = value;
  else if (!(last in parent)) throw new Error(`${path} does not exist`);
  else if (op === 'remove') Reflect.deleteProperty(parent, last);
  else parent[last] = value;
}

/** Returns the variables of the secret that docs/deployment.md creates. */
export function readDocumentedSecret(): Record<string, string> {
  const page = readFileSync('docs/deployment.md', 'utf8');
  const [, literals] = /secret generic care-scheduling \\\n((?: +--from-literal.*\n)+)/.exec(page)!;
  return Object.fromEntries(
    [...literals!.matchAll(/--from-literal=(\w+)=["']?([^"'\n]*)/g)].map(([, name, value]) => [name!, value!]),
  );
}
