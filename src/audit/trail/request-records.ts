import type { AuditRecordKinds } from '../../shared/audit-records/index.js';

/* Finds the records that a request is about: in its path, in the references of its body, and in its answer. */

/** The largest number of records in one entry; the rest goes into further entries. */
export const MAX_RECORDS = 1_000;

/** Kind and id of a record, `session/12` or `series/<uuid>`: the last segments of its path. */
export type RecordName = string;

/** The parts of a request and its answer that refer to records. */
export type RequestWithRecords = {
  /** Pattern of the route, `/gateway/profile/clinic/session/:id`. */
  route: string;
  params: Readonly<Record<string, string>>;
  body?: unknown;
  /** The value that the handler returned; absent if the request was denied. */
  answer?: unknown;
  /** The header `Location`: path of a record that was created or replaced. */
  location?: string | undefined;
};

const ID = /^(?:[1-9]\d{0,15}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/;

/** The names of all records of a request, without duplicates, in the order of their first occurrence. */
export function findRecords(kinds: AuditRecordKinds, request: RequestWithRecords): RecordName[] {
  const finder = new RecordFinder(kinds);
  finder.addPath(request);
  finder.addLocation(request.location ?? '');
  finder.addBody(request.body);
  finder.addAnswer(request);
  return [...finder.names];
}

type Fields = Readonly<Record<string, unknown>>;

class RecordFinder {
  readonly names = new Set<RecordName>();
  /** Ids by kind. A page repeats ids: comparing ids is cheaper than building a name for each. */
  private readonly seen = new Map<string, Set<unknown>>();

  constructor(private readonly kinds: AuditRecordKinds) {}

  addPath({ route, params }: RequestWithRecords): void {
    const segments = route.split('/');
    for (const [name, id] of Object.entries(params)) {
      const kind = name === 'id' ? segments[segments.indexOf(':id') - 1] : this.kinds.kindOfReference(name);
      if (kind !== undefined) this.add(kind, id);
    }
  }

  /** `…/session/12`, or `…/session?seriesId=<uuid>` for several new records. */
  addLocation(location: string): void {
    const [, kind, id] = /([\w-]+)\/([\w-]+)$/.exec(location) ?? [];
    if (kind !== undefined) this.add(kind, id);
    const [, parameter = '', reference] = /[?&](\w+)=([\w-]+)$/.exec(location) ?? [];
    const referenceKind = this.kinds.kindOfReference(parameter);
    if (referenceKind !== undefined) this.add(referenceKind, reference);
  }

  /** References only: the field `id` of a body has no meaning (docs/decisions.md, "`0` for an optional id"). */
  addBody(body: unknown): void {
    if (isFields(body)) this.addReferences(body);
  }

  addAnswer({ route, answer }: RequestWithRecords): void {
    const kind = this.kinds.kindOfAnswer(route);
    if (kind !== undefined) this.addAll(parseLines(answer), kind);
  }

  private addAll(value: unknown, kind: string): void {
    if (Array.isArray(value)) for (const item of value) this.addAll(item, kind);
    else if (isFields(value)) {
      this.add(kind, value['id']);
      this.addReferences(value, (inner, name) => this.addAll(inner, this.kinds.kindOfNested(name) ?? kind));
    }
  }

  /** A single pass over the fields: a page has thousands of them. */
  private addReferences(fields: Fields, visit?: (inner: object, name: string) => void): void {
    for (const name in fields) {
      const value = fields[name];
      const kind = this.kinds.kindOfReference(name);
      if (kind !== undefined && Array.isArray(value)) for (const id of value) this.add(kind, id);
      else if (kind !== undefined) this.add(kind, value);
      if (value instanceof Object) visit?.(value, name);
    }
    for (const { field, kind, where, is } of this.kinds.conditionalReferences) {
      if (fields[where] === is) this.add(kind, fields[field]);
    }
  }

  private add(kind: string, id: unknown): void {
    const ids = this.seen.get(kind) ?? new Set();
    if (ids.has(id)) return;
    this.seen.set(kind, ids.add(id));
    if (isId(id)) this.names.add(`${kind}/${id}`);
  }
}

function isId(value: unknown): value is number | string {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value > 0;
  return typeof value === 'string' && ID.test(value);
}

/** True for a plain object; false for a stream or any other class instance. */
function isFields(value: unknown): value is Fields {
  return value instanceof Object && [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null);
}

/** The objects of an NDJSON answer; any other answer unchanged. */
function parseLines(answer: unknown): unknown {
  if (typeof answer !== 'string' || !answer.startsWith('{')) return answer;
  return answer
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown);
}
