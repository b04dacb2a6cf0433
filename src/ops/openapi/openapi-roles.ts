import { PUBLIC, type RequiredAccess, type Role } from '../../shared/access/index.js';
import type { OpenApi, Operation } from './openapi-types.js';

/*
 * Documents the role that each operation requires, as declared with `@Access`: in the operation ID, description, tag
 * and an extension.
 */

const ROLE_NAMES: Readonly<Record<Role, { id: string; title: string }>> = {
  CLINIC: { id: 'Clinic', title: 'Clinic' },
  CARE_PROVIDER: { id: 'CareProvider', title: 'Care Provider' },
  CLIENT: { id: 'Client', title: 'Client' },
  ADMIN: { id: 'Admin', title: 'Administrator' },
};
const NO_ROLE = 'Without a token';

/** Returns the `@Access` value of an operation, given its method and path in the document. */
type AccessLookup = (method: string, path: string) => RequiredAccess;

/** Adds the roles to the operations and groups the tags by role. Changes the document in place. */
export function addRolesToDocument(document: OpenApi, findAccess: AccessLookup): void {
  nameOperations(document, findAccess);
  const subjects = document.tags ?? [];
  const groups = new Map<string, Set<string>>();
  for (const title of [...Object.values(ROLE_NAMES).map((role) => role.title), NO_ROLE]) groups.set(title, new Set());
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      const access = findAccess(method, path);
      const [subject] = operation.tags as [string];
      const group = documentRole(operation, access);
      groups.get(group)!.add(subject);
      operation.tags = [toTag(group, subject)];
    }
  }
  const used = [...groups].map(([group, names]) => ({
    group,
    subjects: subjects.filter(({ name }) => names.has(name)),
  }));
  document.tags = used.flatMap(({ group, subjects: ones }) =>
    ones.map(({ name, ...subject }) => ({ name: toTag(group, name), ...subject })),
  );
  document['x-tagGroups'] = used
    .filter((one) => one.subjects.length > 0)
    .map(({ group, subjects: ones }) => ({ name: group, tags: ones.map(({ name }) => toTag(group, name)) }));
}

const toTag = (group: string, subject: string) => `${group}: ${subject}`;

/** Documents the role that an operation requires. Returns the group for the operation's tag. */
function documentRole(operation: Operation, access: RequiredAccess): string {
  const { summary, description = summary } = operation;
  const own = description === summary ? [] : [description];
  if (access === PUBLIC) {
    operation.description = [...own, 'No token is needed.'].join('\n\n');
    return NO_ROLE;
  }
  const { title } = ROLE_NAMES[access];
  operation.description = [...own, `Role: **${title}**.`].join('\n\n');
  operation['x-required-role'] = access;
  return title;
}

/**
 * Sets the operation IDs. An ID is the name of the controller's method; if operations of several roles have the same
 * name, the role is appended to all except the Care Provider's.
 */
function nameOperations({ paths }: OpenApi, findAccess: AccessLookup): void {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ operation, access: findAccess(method, path) })),
  );
  const byName = Map.groupBy(operations, ({ operation }) => operation.operationId);
  for (const [name, ones] of byName) {
    if (ones.length === 1) continue;
    for (const { operation, access } of ones)
      if (access !== PUBLIC && access !== 'CARE_PROVIDER') operation.operationId = `${name}As${ROLE_NAMES[access].id}`;
  }
}
