import { resolve, type Document, type Schema } from './document.js';

/** A version of a schema, and the document in which its references are looked up. */
type Versioned = { schema: Schema; document: Document };

/** Callers write requests, so requests may only become wider; they read responses, which may only become narrower. */
export type Direction = 'request' | 'response';

/** Schemas may refer to themselves. */
const MAX_DEPTH = 12;

/** Lower bounds and upper bounds of requests, with what their absence means. */
const LOWER_BOUNDS = ['minimum', 'minLength', 'minItems'] as const;
const UPPER_BOUNDS = ['maximum', 'maxLength', 'maxItems'] as const;

/** Returns one line for each change that breaks callers. */
export function compareSchemas(before: Versioned, after: Versioned, direction: Direction, depth = 0): string[] {
  const [old, now] = [normalise(before), normalise(after)];
  if (depth > MAX_DEPTH) return [];
  const compareParts = direction === 'request' ? compareRequest : compareResponse;
  return [
    ...compareParts(old, now),
    ...compareProperties(old, now, { before, after, direction, depth }),
    ...compareNested(old, now, { before, after, direction, depth }),
  ];
}

type Normal = Omit<Schema, 'type'> & { types: string[]; options: Schema[] };
type Context = { before: Versioned; after: Versioned; direction: Direction; depth: number };

/** Resolves references, merges `allOf`, and treats `anyOf` with null as a type that may be null. */
function normalise({ schema, document }: Versioned): Normal {
  const { allOf, anyOf, type, ...own } = resolve(schema, document);
  const parts = (allOf ?? []).map((part) => normalise({ schema: part, document }));
  const options = (anyOf ?? []).filter((option) => option.type !== 'null');
  const isNullable = options.length < (anyOf ?? []).length;
  const [only] = options;
  const inner = options.length === 1 ? normalise({ schema: only!, document }) : undefined;
  // Without the types of the alternatives, null would be the only type, and a schema without a type takes every type.
  const alternatives = inner ? [] : options.flatMap((option) => normalise({ schema: option, document }).types);
  const merged = [...parts, ...(inner ? [inner] : [])];
  return {
    ...(Object.assign({}, ...merged) as Schema),
    ...own,
    properties: Object.assign(
      {},
      ...merged.map(({ properties }) => properties),
      own.properties,
    ) as Schema['properties'],
    required: [...merged.flatMap(({ required = [] }) => required), ...(own.required ?? [])],
    types: [
      ...merged.flatMap(({ types }) => types),
      ...[type ?? []].flat(),
      ...alternatives,
      ...(isNullable ? ['null'] : []),
    ],
    options: inner ? inner.options : options,
  };
}

function compareRequest(old: Normal, now: Normal): string[] {
  const lost = isSubset(old.types, now.types) ? [] : [`takes ${show(now.types)} instead of ${show(old.types)}`];
  const values = now.enum && lostValues(old.enum ?? [], now.enum);
  return [
    ...lost,
    ...(values ?? []).map((value) => `no longer takes ${JSON.stringify(value)}`),
    ...(now.enum && !old.enum ? ['takes only certain values'] : []),
    ...LOWER_BOUNDS.filter((name) => (now[name] ?? -Infinity) > (old[name] ?? -Infinity)).map(
      (name) => `raises ${name}`,
    ),
    ...UPPER_BOUNDS.filter((name) => (now[name] ?? Infinity) < (old[name] ?? Infinity)).map((name) => `lowers ${name}`),
    ...(['pattern', 'format'] as const)
      .filter((name) => now[name] !== undefined && now[name] !== old[name])
      .map((name) => `has another ${name}`),
    ...(JSON.stringify(old.default) === JSON.stringify(now.default) ? [] : ['has another default']),
  ];
}

function compareResponse(old: Normal, now: Normal): string[] {
  const values = old.enum && now.enum ? lostValues(old.enum, now.enum) : [];
  return [
    ...(isSubset(now.types, old.types) ? [] : [`is ${show(now.types)} instead of ${show(old.types)}`]),
    ...values.map((value) => `is never ${JSON.stringify(value)} any more`),
    ...(old.enum && !now.enum ? ['can have any value'] : []),
    ...(old.format !== undefined && old.format !== now.format ? ['has another format'] : []),
  ];
}

function compareProperties(old: Normal, now: Normal, { before, after, direction, depth }: Context): string[] {
  const [known, current] = [old.properties ?? {}, now.properties ?? {}];
  const required = new Set(now.required);
  const changes = Object.entries(known).flatMap(([name, schema]) => {
    const next = current[name];
    if (next === undefined) return [`/${name} is removed`];
    const inner = compareSchemas({ ...before, schema }, { ...after, schema: next }, direction, depth + 1);
    return inner.map((change) => prefix(name, change));
  });
  if (direction === 'request') {
    const added = [...required].filter((name) => !(old.required ?? []).includes(name));
    return [...changes, ...added.map((name) => `/${name} is required`)];
  }
  const lost = (old.required ?? []).filter((name) => name in current && !required.has(name));
  return [...changes, ...lost.map((name) => `/${name} can be absent`)];
}

/** Items of lists, values of maps, and alternatives. */
function compareNested(old: Normal, now: Normal, { before, after, direction, depth }: Context): string[] {
  const compare = (schema: Schema, next: Schema, name: string) =>
    compareSchemas({ ...before, schema }, { ...after, schema: next }, direction, depth + 1).map((change) =>
      prefix(name, change),
    );
  const items = old.items && now.items ? compare(old.items, now.items, '-') : [];
  const [values, next] = [old.additionalProperties, now.additionalProperties];
  const map = typeof values === 'object' && typeof next === 'object' ? compare(values, next, '*') : [];
  const [wide, narrow] = direction === 'request' ? [now.options, old.options] : [old.options, now.options];
  const alternatives =
    narrow.length > wide.length
      ? ['has other alternatives']
      : old.options.flatMap((option, index) => (now.options[index] ? compare(option, now.options[index], '') : []));
  return [...items, ...map, ...alternatives];
}

function prefix(name: string, change: string): string {
  const place = name === '' ? '' : `/${name}`;
  return change.startsWith('/') ? `${place}${change}` : `${place} ${change}`;
}

function lostValues(old: readonly unknown[], now: readonly unknown[]): unknown[] {
  return old.filter((value) => !now.includes(value));
}

/** A schema without a type takes every type. */
function isSubset(part: readonly string[], whole: readonly string[]): boolean {
  if (whole.length === 0) return true;
  if (part.length === 0) return false;
  const accepted = whole.includes('number') ? [...whole, 'integer'] : whole;
  return part.every((type) => accepted.includes(type));
}

const show = (types: readonly string[]) => [...new Set(types)].join(' or ') || 'anything';
