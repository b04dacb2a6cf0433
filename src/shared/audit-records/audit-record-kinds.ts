import { Injectable } from '@nestjs/common';

/** How entries of the audit trail name the records of one kind. */
export type AuditRecordKind = {
  /** Fields and path parameters whose value is the id of such a record, or a list of ids: `clientId`. */
  references?: readonly string[];
  /** Fields with objects of this kind inside an answer about another kind: `homework` of a Session. */
  nested?: readonly string[];
  /** Fields that refer to a record only where another field has a certain value. */
  conditionalReferences?: readonly ConditionalReference[];
  /** False: entries do not name records of this kind. Default: true. */
  isNamed?: boolean;
};

/** `field` is the id of a record of `kind` in each object whose field `where` has the value `is`. */
export type ConditionalReference = { field: string; kind: string; where: string; is: string };

/** Kinds by the segment that they have in paths: `session` for `/gateway/profile/clinic/session/12`. */
export type AuditRecordDeclaration = Readonly<Record<string, AuditRecordKind>>;

/** The part of a path that says for which role it is. */
const ROLE_PREFIX = /^\/gateway\/(?:admin|profile\/[\w-]+)(?=\/)/;

/**
 * The kinds of records that the audit trail can name. Each module declares its kinds with `provideAuditRecords`.
 */
@Injectable()
export class AuditRecordKinds {
  private readonly kinds = new Map<string, AuditRecordKind>();
  private readonly references = new Map<string, string>();
  private readonly nested = new Map<string, string>();
  readonly conditionalReferences: ConditionalReference[] = [];

  /** @throws Error for a kind or a field that another module has declared */
  declare(declaration: AuditRecordDeclaration): void {
    for (const [kind, options] of Object.entries(declaration)) {
      addOnce(this.kinds, kind, options);
      for (const field of options.references ?? []) addOnce(this.references, field, kind);
      for (const field of options.nested ?? []) addOnce(this.nested, field, kind);
      this.conditionalReferences.push(...(options.conditionalReferences ?? []));
    }
  }

  /** The kind of record that a field or path parameter refers to. */
  kindOfReference(field: string): string | undefined {
    return this.references.get(field);
  }

  /** The kind of the objects in a field of an answer. */
  kindOfNested(field: string): string | undefined {
    return this.nested.get(field);
  }

  /** The kind of record that the answers of a route contain; undefined if entries do not name it. */
  kindOfAnswer(route: string): string | undefined {
    const kind = route.split('/').findLast((segment) => this.kinds.has(segment));
    return kind === undefined || this.kinds.get(kind)?.isNamed === false ? undefined : kind;
  }

  /**
   * Checks that the audit trail can name the records of a route.
   *
   * @param route path with parameters, `/gateway/profile/clinic/session/:id`
   * @throws Error for a kind in the path, or a parameter with an id, that no module declares
   */
  requireDeclared(route: string): void {
    const segments = route.replace(ROLE_PREFIX, '').split('/');
    for (const [index, segment] of segments.entries()) {
      const isKind = index === 1 || segments[index + 1] === ':id';
      const isReference = /^:\w+Id$/.test(segment) && segment !== ':externalId';
      if (isKind && !this.kinds.has(segment)) throw undeclared(route, `the kind "${segment}"`);
      if (isReference && !this.references.has(segment.slice(1)))
        throw undeclared(route, `the reference "${segment.slice(1)}"`);
    }
  }
}

function addOnce<T>(map: Map<string, T>, name: string, value: T): void {
  if (map.has(name)) throw new Error(`Audit records: "${name}" is declared twice`);
  map.set(name, value);
}

function undeclared(route: string, what: string): Error {
  return new Error(
    `Route ${route}: no module declares ${what} with provideAuditRecords (CONTRIBUTING.md, "Add a module")`,
  );
}
