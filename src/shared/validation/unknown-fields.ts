import { z } from 'zod';
import type { Violation } from '../errors/index.js';
import { isSecondUsed, type FieldAliases } from './alias.js';
import { ALIASES_KEY } from './documentation.js';
import { formatNameSuggestion } from './nearest-name.js';
import { toPointer } from './schema-pipe.js';

type Path = readonly (string | number)[];

/**
 * The fields that a schema declares, at every nesting level. `undefined` stands for values without declared fields,
 * such as texts and numbers.
 */
type KnownFields = KnownObject | { kind: 'list'; item: KnownFields | undefined };
type KnownObject = {
  kind: 'object';
  names: readonly string[];
  fields: ReadonlyMap<string, KnownFields | undefined>;
  aliases: FieldAliases;
};

/** Used for an operation without a body, which has no fields. */
const NO_FIELDS: KnownFields = { kind: 'object', names: [], fields: new Map(), aliases: {} };

const fieldsBySchema = new WeakMap<z.ZodType, { known: KnownFields | undefined }>();

/**
 * Finds fields of a JSON value that its schema does not declare, at every nesting level. Zod would drop them, so a
 * misspelt field would have no effect, without an error.
 *
 * @param schema the schema of the value; undefined means that no field is declared
 * @param maximum maximum number of violations to return
 */
export function findUnknownFields(schema: z.ZodType | undefined, value: unknown, maximum: number): Violation[] {
  const finder = new UnknownFieldFinder(maximum);
  finder.visit(schema === undefined ? NO_FIELDS : readFieldsWithCache(schema), value, []);
  return finder.violations;
}

/**
 * Returns the fields of a JSON object that its schema declares. Other fields, which a lenient operation ignores, are
 * left out. Returns an empty object if the schema declares no fields or the value is not an object.
 */
export function pickDeclaredFields(schema: z.ZodType | undefined, value: unknown): Record<string, unknown> {
  const known = schema === undefined ? NO_FIELDS : readFieldsWithCache(schema);
  if (known?.kind !== 'object' || typeof value !== 'object' || value === null) return {};
  const declared = [...known.fields.keys()].filter((name) => Object.hasOwn(value, name));
  return Object.fromEntries(declared.map((name) => [name, Reflect.get(value, name)]));
}

/** Returns the pointer with the spellings of field names that the body has: services know only the first spelling. */
export function toSentPointer(schema: z.ZodType | undefined, body: unknown, pointer: string): string {
  if (schema === undefined || pointer === '') return pointer;
  const path = pointer.slice(1).split('/');
  return `/${toSentPath(readFieldsWithCache(schema), body, path).join('/')}`;
}

/** Names with second spellings have no characters that a pointer escapes. */
function toSentPath(known: KnownFields | undefined, value: unknown, [name, ...rest]: readonly string[]): string[] {
  if (name === undefined) return [];
  if (known === undefined || typeof value !== 'object' || value === null) return [name, ...rest];
  const members = value as Readonly<Record<string, unknown>>;
  if (known.kind === 'list') return [name, ...toSentPath(known.item, members[name], rest)];
  const alias = Object.hasOwn(known.aliases, name) ? known.aliases[name]! : name;
  const sent = Object.hasOwn(members, alias) && isSecondUsed(members[name], members[alias]) ? alias : name;
  return [sent, ...toSentPath(known.fields.get(name), members[sent], rest)];
}

class UnknownFieldFinder {
  readonly violations: Violation[] = [];

  constructor(private readonly maximum: number) {}

  visit(known: KnownFields | undefined, value: unknown, path: Path): void {
    if (known === undefined || typeof value !== 'object' || value === null) return;
    // If there is a list instead of an object, or the reverse, validation by the schema itself reports it.
    if (Array.isArray(value) !== (known.kind === 'list')) return;
    if (known.kind === 'list') this.visitItems(known.item, value as readonly unknown[], path);
    else this.visitFields(known, value as Readonly<Record<string, unknown>>, path);
  }

  private visitItems(known: KnownFields | undefined, items: readonly unknown[], path: Path): void {
    if (known === undefined) return;
    for (const [index, item] of items.entries()) {
      if (this.isFull) return;
      this.visit(known, item, [...path, index]);
    }
  }

  private visitFields(known: KnownObject, members: Readonly<Record<string, unknown>>, path: Path): void {
    // `Object.entries` would read all fields before the first one is checked, and a body can have a million fields.
    for (const name in members) {
      if (this.isFull) return;
      if (!Object.hasOwn(members, name)) continue;
      if (known.fields.has(name)) this.visit(known.fields.get(name), members[name], [...path, name]);
      else this.violations.push(toViolation([...path, name], name, known.names));
    }
  }

  private get isFull(): boolean {
    return this.violations.length >= this.maximum;
  }
}

function toViolation(path: Path, name: string, known: readonly string[]): Violation {
  return { pointer: toPointer(path), detail: `is not a field of this request${formatNameSuggestion(name, known)}` };
}

function readFieldsWithCache(schema: z.ZodType): KnownFields | undefined {
  const cached = fieldsBySchema.get(schema);
  if (cached !== undefined) return cached.known;
  const known = readFields(schema);
  fieldsBySchema.set(schema, { known });
  return known;
}

/** Reads the declared fields of a schema, including those inside lists, optional values and transformations. */
function readFields(schema: unknown): KnownFields | undefined {
  if (schema instanceof z.ZodObject) return readObject(schema);
  if (schema instanceof z.ZodArray) return { kind: 'list', item: readFields(schema.element) };
  // A zod pipe made by `preprocess` has the schema at its end; one made by `transform` has it at its start.
  if (schema instanceof z.ZodPipe) return readFields(schema.in instanceof z.ZodTransform ? schema.out : schema.in);
  return isWrapper(schema) ? readFields(schema.unwrap()) : undefined;
}

function isWrapper(schema: unknown): schema is { unwrap: () => unknown } {
  return [z.ZodOptional, z.ZodNullable, z.ZodDefault, z.ZodPrefault, z.ZodNonOptional, z.ZodReadonly].some(
    (wrapper) => schema instanceof wrapper,
  );
}

function readObject(schema: z.ZodObject): KnownFields {
  const fields = new Map(Object.entries(schema.shape).map(([name, field]) => [name, readFields(field)]));
  const names = [...fields.keys()];
  const aliases = (schema.meta()?.[ALIASES_KEY] ?? {}) as FieldAliases;
  for (const [name, alias] of Object.entries(aliases)) fields.set(alias, fields.get(name));
  return { kind: 'object', names, fields, aliases };
}
