/* Which records a request is about: of its path, of the ids that its body refers to, and of what is answered. */

/** An entry names so many; more are in further entries. */
export const MAX_RECORDS = 1_000;

/** `session/12`, `series/<uuid>`: the last segments of the path of a record. */
export type RecordName = string;

export type Exchange = {
  /** Pattern of the route, `/gateway/profile/clinic/session/:id`. */
  route: string;
  params: Readonly<Record<string, string>>;
  body?: unknown;
  /** What the handler has answered; absent when it was denied. */
  answer?: unknown;
  /** Path of what was made or replaced. */
  location?: string | undefined;
};

const KINDS = new Set([
  ...['clinic', 'care-provider', 'client', 'book', 'design-plan', 'session', 'series', 'homework', 'reminder'],
  ...['reminder-preference', 'calendar-link'],
]);

/** Fields that refer to a record of a kind, wherever they stand. */
const REFERENCES = new Map<string, string>(
  Object.entries({
    ...{ clientId: 'client', clientIds: 'client', careProviderId: 'care-provider', toCareProviderId: 'care-provider' },
    ...{ seriesId: 'series', sessionId: 'session', fromSessionId: 'session', otherSessionId: 'session' },
    homeworkId: 'homework',
  }),
);

/** Of which kind the `id`s are that stand below these fields. */
const NESTED = new Map([
  ['sessions', 'session'],
  ['previous', 'session'],
  ['homework', 'homework'],
]);

const ID = /^(?:[1-9]\d{0,15}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/;

/** Without repeats, in the order in which they are met. */
export function recordsOf({ route, params, body, answer, location }: Exchange): RecordName[] {
  const found: RecordName[] = [];
  const met = new Map<string, Set<unknown>>();
  // A page names the same records again and again: what was met is not written out once more.
  const add = (kind: string, id: unknown): void => {
    const ids = met.get(kind) ?? new Set();
    if (ids.has(id)) return;
    met.set(kind, ids.add(id));
    if (isId(id)) found.push(`${kind}/${id}`);
  };
  const segments = route.split('/');
  for (const [name, id] of Object.entries(params)) {
    const kind = name === 'id' ? segments[segments.indexOf(':id') - 1] : REFERENCES.get(name);
    if (kind !== undefined) add(kind, id);
  }
  const [, made, id] = /([\w-]+)\/([\w-]+)$/.exec(location ?? '') ?? [];
  if (made !== undefined) add(made, id);
  add('series', /[?&]seriesId=([\w-]+)$/.exec(location ?? '')?.[1]);
  // Of a body only what it refers to: its own `id` means nothing (docs/decisions.md, "`0` for an optional id").
  if (isFields(body)) addAll(body, add);
  const kind = segments.findLast((segment) => KINDS.has(segment));
  // Entries of the trail itself are no records: what they are about was disclosed when they were written.
  if (kind !== undefined && !segments.includes('audit')) walk(linesOf(answer), kind, add);
  return [...new Set(found)];
}

type Fields = Readonly<Record<string, unknown>>;
type Add = (kind: string, id: unknown) => void;

function walk(value: unknown, kind: string, add: Add): void {
  if (Array.isArray(value)) for (const item of value) walk(item, kind, add);
  else if (isFields(value)) {
    add(kind, value['id']);
    addAll(value, add, (inner, name) => walk(inner, NESTED.get(name) ?? kind, add));
  }
}

/** One pass: a page has thousands of fields. */
function addAll(fields: Fields, add: Add, within?: (inner: object, name: string) => void): void {
  for (const name in fields) {
    const value = fields[name];
    const kind = REFERENCES.get(name);
    if (kind !== undefined && Array.isArray(value)) for (const id of value) add(kind, id);
    else if (kind !== undefined) add(kind, value);
    if (value instanceof Object) within?.(value, name);
  }
  if (fields['recipientKind'] === 'CLIENT') add('client', fields['recipientId']);
}

function isId(value: unknown): value is number | string {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value > 0;
  return typeof value === 'string' && ID.test(value);
}

/** Not a stream, nor anything else that is not data. */
function isFields(value: unknown): value is Fields {
  return value instanceof Object && [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null);
}

/** The records of an answer of lines; any other answer as it is. */
function linesOf(answer: unknown): unknown {
  if (typeof answer !== 'string' || !answer.startsWith('{')) return answer;
  return answer
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown);
}
