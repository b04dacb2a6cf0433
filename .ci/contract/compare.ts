import { compareSchemas, type Direction } from './compare-schemas.js';
import { listOperations, resolve, type Content, type Document, type Operation } from './document.js';

/**
 * Compares two OpenAPI documents. Returns one line for each change that breaks a caller of the old one: something is
 * removed, a request must have more or may have less, or a response can have what it could not have before.
 */
export function findBreakingChanges(before: Document, after: Document): string[] {
  const current = listOperations(after);
  return [...listOperations(before)].flatMap(([title, old]) => {
    const now = current.get(title);
    if (now === undefined) return [`${title}: is removed`];
    return new OperationComparison(before, after, old, now).find().map((change) => `${title}: ${change}`);
  });
}

class OperationComparison {
  constructor(
    private readonly before: Document,
    private readonly after: Document,
    private readonly old: Operation,
    private readonly now: Operation,
  ) {}

  find(): string[] {
    const { old, now } = this;
    return [
      ...(old.operationId === now.operationId ? [] : [`its operationId is ${now.operationId}, not ${old.operationId}`]),
      ...(old['x-required-role'] === now['x-required-role'] ? [] : ['is for another role']),
      ...this.compareParameters(),
      ...this.compareBodies(),
      ...this.compareResponses(),
    ];
  }

  private compareParameters(): string[] {
    const key = ({ name, in: where }: { name: string; in: string }) => `${where} parameter ${name}`;
    const [known, current] = [
      new Map((this.old.parameters ?? []).map((one) => resolve(one, this.before)).map((one) => [key(one), one])),
      new Map((this.now.parameters ?? []).map((one) => resolve(one, this.after)).map((one) => [key(one), one])),
    ];
    const removed = [...known.keys()].filter((name) => !current.has(name)).map((name) => `${name} is removed`);
    const changed = [...current].flatMap(([name, { required, schema }]) => {
      const old = known.get(name);
      const demand = required && !old?.required ? [`${name} is required`] : [];
      if (old === undefined) return demand;
      return [...demand, ...this.compare(old.schema, schema, 'request').map((change) => `${name}${change}`)];
    });
    return [...removed, ...changed];
  }

  private compareBodies(): string[] {
    const old = this.old.requestBody && resolve(this.old.requestBody, this.before);
    const now = this.now.requestBody && resolve(this.now.requestBody, this.after);
    if (old === undefined) return now?.required ? ['a body is required'] : [];
    if (now === undefined) return ['takes no body any more'];
    const demand = now.required && !old.required ? ['a body is required'] : [];
    return [...demand, ...this.compareContent(old.content, now.content, 'request')];
  }

  /** Errors may come and go: callers decide by their status, and all have one schema. */
  private compareResponses(): string[] {
    return Object.entries(this.old.responses).flatMap(([status, reference]) => {
      const old = resolve(reference, this.before);
      const successor = this.now.responses[status];
      if (successor === undefined) return /^[23]/.test(status) ? [`never answers ${status} any more`] : [];
      const now = resolve(successor, this.after);
      const lost = Object.keys(old.headers ?? {}).filter((name) => !(name in (now.headers ?? {})));
      const content = this.compareContent(old.content ?? {}, now.content ?? {}, 'response');
      return [...lost.map((name) => `header ${name} is removed`), ...content].map((change) => `${status} ${change}`);
    });
  }

  private compareContent(old: Content, now: Content, direction: Direction): string[] {
    return Object.entries(old).flatMap(([type, { schema }]) => {
      const next = now[type];
      if (next === undefined) return [`${direction} of ${type} is removed`];
      if (schema === undefined || next.schema === undefined) return [];
      return this.compare(schema, next.schema, direction).map((change) => `${direction}${change}`);
    });
  }

  private compare(old: NonNullable<Content[string]['schema']>, now: typeof old, direction: Direction): string[] {
    const changes = compareSchemas(
      { schema: old, document: this.before },
      { schema: now, document: this.after },
      direction,
    );
    return changes.map((change) => ` ${change}`);
  }
}
