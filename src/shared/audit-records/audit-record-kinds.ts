import { Injectable } from '@nestjs/common';

/** Defines how audit entries name the records of one kind. */
type AuditRecordKind = {
  /** Fields and path parameters whose value is the ID of such a record or a list of IDs, for example `clientId`. */
  references?: readonly string[];
  /** Fields that contain objects of this kind in an answer about another kind, for example `homework` in a Session. */
  nested?: readonly string[];
  /** Fields that refer to a record only if another field has a certain value. */
  conditionalReferences?: readonly ConditionalReference[];
  /** Fields whose value is the name of a record of any kind, for example `client/12`. */
  nameFields?: readonly string[];
  /** If false, entries do not name records of this kind. Defaults to true. */
  isNamed?: boolean;
};

/**
 * A field that refers to a record only in some objects: `field` contains the ID of a record of this `kind` if the field
 * `where` has the value `is`.
 */
type ConditionalReference = { field: string; kind: string; where: string; is: string };

/** Record kinds, keyed by their segment in paths, for example `session` in `/gateway/profile/clinic/session/12`. */
export type AuditRecordDeclaration = Readonly<Record<string, AuditRecordKind>>;

/** The part of a path that indicates the role. */
const ROLE_PREFIX = /^\/gateway\/(?:admin|profile\/[\w-]+)(?=\/)/;

/** A kind and an ID, for example `client/12`. */
const RECORD_NAME = /^([a-z-]{1,40})\/([1-9]\d{0,15})$/;

/** The kinds of records that the audit trail can name. Each module declares its kinds with `provideAuditRecordKinds`. */
@Injectable()
export class AuditRecordKinds {
  private readonly kinds = new Map<string, AuditRecordKind>();
  private readonly references = new Map<string, string>();
  private readonly nested = new Map<string, string>();
  readonly conditionalReferences: ConditionalReference[] = [];
  private readonly nameFields = new Set<string>();

  /** @throws Error if another module has already declared a kind or field */
  declare(declaration: AuditRecordDeclaration): void {
    for (const [kind, options] of Object.entries(declaration)) {
      addOnce(this.kinds, kind, options);
      for (const field of options.references ?? []) addOnce(this.references, field, kind);
      for (const field of options.nested ?? []) addOnce(this.nested, field, kind);
      for (const field of options.nameFields ?? []) this.nameFields.add(field);
      this.conditionalReferences.push(...(options.conditionalReferences ?? []));
    }
  }

  /** Returns the kind of record that a field or path parameter refers to. */
  findReferencedKind(field: string): string | undefined {
    return this.references.get(field);
  }

  /** Returns the kind and ID in the value of a field that contains the name of a record of a declared kind. */
  parseRecordName(field: string, value: string): { kind: string; id: string } | undefined {
    if (!this.nameFields.has(field)) return undefined;
    const [, kind = '', id = ''] = RECORD_NAME.exec(value) ?? [];
    return this.kinds.has(kind) ? { kind, id } : undefined;
  }

  /** Returns the kind of the records in an answer's field, or undefined if the field contains none. */
  findNestedKind(field: string): string | undefined {
    return this.nested.get(field);
  }

  /** Returns the kind of record that a route's answers contain, or undefined if entries do not name it. */
  findResponseKind(route: string): string | undefined {
    const kind = route.split('/').findLast((segment) => this.kinds.has(segment));
    return kind === undefined || this.kinds.get(kind)?.isNamed === false ? undefined : kind;
  }

  /**
   * Checks that the audit trail can name the records of a route.
   *
   * @param route path with parameters, for example `/gateway/profile/clinic/session/:id`
   * @throws Error if no module declares a kind or a reference in the path
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
    `Route ${route}: no module declares ${what} with provideAuditRecordKinds (CONTRIBUTING.md, "Add a module")`,
  );
}
