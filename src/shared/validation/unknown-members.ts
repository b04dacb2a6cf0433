import { z } from 'zod';
import type { Violation } from '../errors/index.js';
import type { FieldAliases } from './alias.js';
import { ALIASES_KEY } from './documentation.js';
import { formatNameSuggestion } from './nearest-name.js';
import { toPointer } from './schema-pipe.js';

type Path = readonly (string | number)[];

/**
 * The members that a schema declares, at every nesting level. `undefined` stands for values without declared members,
 * such as texts and numbers.
 */
type KnownMembers =
  | { kind: 'object'; names: readonly string[]; members: ReadonlyMap<string, KnownMembers | undefined> }
  | { kind: 'list'; item: KnownMembers | undefined };

/** Used for an operation without a body, which has no members. */
const NO_MEMBERS: KnownMembers = { kind: 'object', names: [], members: new Map() };

const membersBySchema = new WeakMap<z.ZodType, { known: KnownMembers | undefined }>();

/**
 * Finds members of a JSON value that its schema does not declare, at every nesting level. Zod would drop them, so a
 * misspelt field would have no effect, without an error.
 *
 * @param schema the schema of the value; undefined means that no member is declared
 * @param maximum maximum number of violations to return
 */
export function findUnknownMembers(schema: z.ZodType | undefined, value: unknown, maximum: number): Violation[] {
  const finder = new UnknownMemberFinder(maximum);
  finder.visit(schema === undefined ? NO_MEMBERS : cachedMembers(schema), value, []);
  return finder.violations;
}

class UnknownMemberFinder {
  readonly violations: Violation[] = [];

  constructor(private readonly maximum: number) {}

  visit(known: KnownMembers | undefined, value: unknown, path: Path): void {
    if (known === undefined || typeof value !== 'object' || value === null) return;
    // If there is a list instead of an object, or the reverse, validation by the schema itself reports it.
    if (Array.isArray(value) !== (known.kind === 'list')) return;
    if (known.kind === 'list') {
      (value as unknown[]).forEach((item, index) => this.visit(known.item, item, [...path, index]));
      return;
    }
    for (const [name, member] of Object.entries(value)) {
      if (this.violations.length >= this.maximum) return;
      if (known.members.has(name)) this.visit(known.members.get(name), member, [...path, name]);
      else this.violations.push(toViolation([...path, name], name, known.names));
    }
  }
}

function toViolation(path: Path, name: string, known: readonly string[]): Violation {
  return { pointer: toPointer(path), detail: `is not a field of this request${formatNameSuggestion(name, known)}` };
}

function cachedMembers(schema: z.ZodType): KnownMembers | undefined {
  const cached = membersBySchema.get(schema);
  if (cached !== undefined) return cached.known;
  const known = readMembers(schema);
  membersBySchema.set(schema, { known });
  return known;
}

/** Reads the declared members of a schema, including those inside lists, optional values and transformations. */
function readMembers(schema: unknown): KnownMembers | undefined {
  if (schema instanceof z.ZodObject) return readObject(schema);
  if (schema instanceof z.ZodArray) return { kind: 'list', item: readMembers(schema.element) };
  // A zod pipe made by `preprocess` has the schema at its end; one made by `transform` has it at its start.
  if (schema instanceof z.ZodPipe) return readMembers(schema.in instanceof z.ZodTransform ? schema.out : schema.in);
  return isWrapper(schema) ? readMembers(schema.unwrap()) : undefined;
}

function isWrapper(schema: unknown): schema is { unwrap: () => unknown } {
  return [z.ZodOptional, z.ZodNullable, z.ZodDefault, z.ZodPrefault, z.ZodNonOptional, z.ZodReadonly].some(
    (wrapper) => schema instanceof wrapper,
  );
}

function readObject(schema: z.ZodObject): KnownMembers {
  const members = new Map(Object.entries(schema.shape).map(([name, member]) => [name, readMembers(member)]));
  const names = [...members.keys()];
  const aliases = (schema.meta()?.[ALIASES_KEY] ?? {}) as FieldAliases;
  for (const [name, alias] of Object.entries(aliases)) members.set(alias, members.get(name));
  return { kind: 'object', names, members };
}
