import { isSimpleSchema } from './openapi-schemas.js';
import type { Schema, Schemas } from './openapi-types.js';

/* Moves properties that several schemas share to a base schema, which these schemas then reference with `allOf`. */

/**
 * A schema and the length of each of its own properties, in characters. The key of a property is its JSON text, so
 * equal properties of two schemas have equal keys.
 */
type Candidate = { name: string; schema: Schema; own: Map<string, number> };
type Base = { texts: Set<string>; users: Candidate[]; saving: number };

/**
 * Minimum number of characters that a base schema must save. A smaller saving is not worth a second schema for readers
 * to look up.
 */
const MINIMUM_SAVING = 50;
/** Approximate number of characters that a base schema adds to each schema that uses it, and to the document. */
const COST_OF_USE = 80;
const COST_OF_BASE = 100;
/**
 * Approximate number of characters for a simple property that becomes a component (`shareRepeatedProperties`): a
 * reference, and a third of the component, because about three properties share it.
 */
const COST_OF_REFERENCE = 42;
const COST_OF_SHARE = 1 / 3;

/**
 * Moves properties that several schemas have in common to a base schema, as long as that makes the document shorter. A
 * schema without other properties becomes the base itself. Changes the schemas in place.
 */
export function shareBaseSchemas(schemas: Schemas): void {
  let candidates = Object.entries(schemas).flatMap(([name, schema]) =>
    schema.type === 'object' && schema.properties ? [toCandidate(name, schema)] : [],
  );
  for (let base = findBase(candidates); base !== undefined; base = findBase(candidates)) {
    const { texts, users } = base;
    const itself = users.find(({ own, schema }) => own.size === texts.size && schema.properties);
    const name = itself?.name ?? nameBase(users, schemas);
    if (itself === undefined) {
      schemas[name] = createBase(texts);
      candidates = [...candidates, toCandidate(name, schemas[name])];
    }
    for (const user of users) {
      if (user === itself) continue;
      inherit(user.schema, name, texts);
      for (const text of texts) user.own.delete(text);
    }
  }
}

function toCandidate(name: string, schema: Schema): Candidate {
  const { properties = {}, required = [] } = schema;
  const own = Object.entries(properties).map(([key, property]) => {
    const isRequired = required.includes(key);
    const { length } = JSON.stringify(property);
    const cost = isSimpleSchema(property) ? Math.min(length, COST_OF_REFERENCE + length * COST_OF_SHARE) : length;
    return [toText(key, isRequired, property), cost + key.length + 4 + (isRequired ? key.length + 3 : 0)] as const;
  });
  return { name, schema, own: new Map(own) };
}

const toText = (...property: [key: string, isRequired: boolean, schema: Schema]) => JSON.stringify(property);
const parseText = (text: string) => JSON.parse(text) as Parameters<typeof toText>;

/** Returns the shared properties whose move to a base schema saves the most characters. */
function findBase(candidates: readonly Candidate[]): Base | undefined {
  let best: Base | undefined;
  for (const [index, { own }] of candidates.entries()) {
    for (const second of candidates.slice(index + 1)) {
      const texts = new Set([...second.own.keys()].filter((text) => own.has(text)));
      if (texts.size < 2) continue;
      const users = candidates.filter((one) => [...texts].every((text) => one.own.has(text)));
      const saving = estimateSaving(texts, users);
      if (saving > Math.max(best?.saving ?? 0, MINIMUM_SAVING)) best = { texts, users, saving };
    }
  }
  return best;
}

function estimateSaving(texts: ReadonlySet<string>, users: readonly Candidate[]): number {
  const cost = [...texts].reduce((sum, text) => sum + users[0]!.own.get(text)!, 0);
  const hasBase = users.some(({ own }) => own.size === texts.size);
  return (users.length - 1) * cost - (users.length - (hasBase ? 1 : 0)) * COST_OF_USE - (hasBase ? 0 : COST_OF_BASE);
}

/** Builds the name of a base schema from the words that the names of all its users have in common. */
function nameBase(users: readonly Candidate[], schemas: Schemas): string {
  const [words, ...others] = users.map(({ name }) => name.split(/(?=[A-Z])/)).sort((a, b) => a.length - b.length);
  const common = words!.filter((word) => others.every((one) => one.includes(word))).join('') || 'Record';
  const name = `${common}Base`;
  const count = Object.keys(schemas).filter((one) => one.replace(/\d+$/, '') === name).length;
  return count === 0 ? name : `${name}${count + 1}`;
}

function createBase(texts: ReadonlySet<string>): Schema {
  const properties = [...texts].map(parseText);
  const required = properties.filter(([, isRequired]) => isRequired).map(([key]) => key);
  return {
    type: 'object',
    properties: Object.fromEntries(properties.map(([key, , schema]) => [key, schema])),
    ...(required.length > 0 && { required }),
    description: 'Shared fields.',
  };
}

/**
 * Replaces properties of the schema with a reference to the base. The last part of `allOf` keeps the other properties.
 */
function inherit(schema: Schema, base: string, texts: ReadonlySet<string>): void {
  const { properties = {}, required = [] } = schema.allOf?.at(-1) ?? schema;
  const inherited = new Set([...texts].map((text) => parseText(text)[0]));
  const own = Object.entries(properties).filter(([key]) => !inherited.has(key));
  const ownRequired = required.filter((key) => !inherited.has(key));
  const part = { properties: Object.fromEntries(own), ...(ownRequired.length > 0 && { required: ownRequired }) };
  schema.allOf = [
    ...(schema.allOf ?? []).slice(0, -1),
    { $ref: `#/components/schemas/${base}` },
    ...(own.length > 0 ? [part] : []),
  ];
  delete schema.type;
  delete schema.properties;
  delete schema.required;
}
