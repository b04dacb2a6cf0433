import { findRecordReferences, type AuditRecordKinds } from '../../shared/audit-records/index.js';

/* Finds the records that a request concerns: in its path, in the references in its body, and in its answer. */

/** Maximum number of records in one entry. The rest are written to further entries. */
export const MAX_RECORDS_PER_ENTRY = 1_000;

/** Kind and ID of a record, for example `session/12` or `series/<uuid>`: the last two segments of its path. */
type AuditRecordName = string;

/** The parts of a request and its answer that refer to records. */
export type RequestWithRecords = {
  /** The route pattern, for example `/gateway/profile/clinic/session/:id`. */
  route: string;
  params: Readonly<Record<string, string>>;
  body?: unknown;
  /** The value that the handler returned; absent if the request was denied. */
  answer?: unknown;
  /** References to further records that the request has changed. */
  changed?: readonly object[];
  /** The `Location` header: the path of a record that was created or replaced. */
  location?: string | undefined;
};

const ID = /^(?:[1-9]\d{0,15}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/;

/** A decimal ID that `Number` represents exactly. */
const EXACT_NUMBER = /^[1-9]\d{0,14}$/;

/** Returns the names of all records in a request, without duplicates, in the order of their first occurrence. */
export function findRecordNames(kinds: AuditRecordKinds, request: RequestWithRecords): AuditRecordName[] {
  const finder = new RecordFinder(kinds);
  finder.addPath(request);
  finder.addLocation(request.location ?? '');
  finder.addBody(request.body);
  finder.addAnswer(request);
  for (const references of request.changed ?? []) finder.addBody(references);
  return finder.names;
}

type Fields = Readonly<Record<string, unknown>>;

class RecordFinder {
  readonly names: AuditRecordName[] = [];
  /**
   * The IDs found so far, by kind. For a page with a thousand records, a set of numbers is several times faster than a
   * set of texts such as `client/12`.
   */
  private readonly seen = new Map<string, Set<unknown>>();

  constructor(private readonly kinds: AuditRecordKinds) {}

  addPath({ route, params }: RequestWithRecords): void {
    const segments = route.split('/');
    for (const [name, id] of Object.entries(params)) {
      const kind = name === 'id' ? segments[segments.indexOf(':id') - 1] : this.kinds.findReferencedKind(name);
      if (kind !== undefined) this.add(kind, id);
    }
  }

  /** Adds the record in `…/session/12`, or in `…/session?seriesId=<uuid>` if several records were created. */
  addLocation(location: string): void {
    const [, kind, id] = /([\w-]+)\/([\w-]+)$/.exec(location) ?? [];
    if (kind !== undefined) this.add(kind, id);
    const [, parameter = '', reference] = /[?&](\w+)=([\w-]+)$/.exec(location) ?? [];
    const referenceKind = this.kinds.findReferencedKind(parameter);
    if (referenceKind !== undefined) this.add(referenceKind, reference);
  }

  /** Adds only references: the field `id` in a body has no meaning (docs/decisions.md, "`0` for an optional id"). */
  addBody(body: unknown): void {
    if (isFields(body)) this.addReferences(body);
  }

  addAnswer({ route, answer }: RequestWithRecords): void {
    const references = findRecordReferences(answer);
    if (isFields(references)) this.addReferences(references);
    const kind = this.kinds.findResponseKind(route);
    if (kind !== undefined) this.addAll(parseLines(answer), kind);
  }

  private addAll(value: unknown, kind: string): void {
    if (Array.isArray(value)) for (const item of value) this.addAll(item, kind);
    else if (isFields(value)) {
      this.add(kind, value['id']);
      this.addReferences(value, (inner, name) => this.addAll(inner, this.kinds.findNestedKind(name) ?? kind));
    }
  }

  /** Makes a single pass over the fields, because a page has thousands of them. */
  private addReferences(fields: Fields, visit?: (inner: object, name: string) => void): void {
    for (const name in fields) {
      const value = fields[name];
      const kind = this.kinds.findReferencedKind(name);
      if (kind !== undefined && Array.isArray(value)) for (const id of value) this.add(kind, id);
      else if (kind !== undefined) this.add(kind, value);
      const named = typeof value === 'string' ? this.kinds.parseRecordName(name, value) : undefined;
      if (named !== undefined) this.add(named.kind, named.id);
      if (value instanceof Object) visit?.(value, name);
    }
    for (const { field, kind, where, is } of this.kinds.conditionalReferences) {
      if (fields[where] === is) this.add(kind, fields[field]);
    }
  }

  private add(kind: string, id: unknown): void {
    let ids = this.seen.get(kind);
    if (ids === undefined) this.seen.set(kind, (ids = new Set()));
    const { size } = ids;
    // Parameters of paths and parts of names are strings, and the IDs in answers are numbers.
    const key = typeof id === 'string' && EXACT_NUMBER.test(id) ? Number(id) : id;
    if (ids.add(key).size > size && isId(id)) this.names.push(`${kind}/${id}`);
  }
}

function isId(value: unknown): value is number | string {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value > 0;
  return typeof value === 'string' && ID.test(value);
}

/** Returns true for a plain object, and false for a stream or any other class instance. */
function isFields(value: unknown): value is Fields {
  return value instanceof Object && [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null);
}

/** Parses the objects in an NDJSON answer. Returns any other answer unchanged. */
function parseLines(answer: unknown): unknown {
  if (typeof answer !== 'string' || !answer.startsWith('{')) return answer;
  return answer
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown);
}
