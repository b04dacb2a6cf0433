import openapiTS from 'openapi-typescript';
import ts from 'typescript';
import {
  listOperations,
  ROLES,
  type OpenApiDocument,
  type Operation,
  type Role,
  type Schema,
} from './client-operations.js';

export type { OpenApiDocument } from './client-operations.js';

/* Creates the generated file of the client: interfaces of all schemas, one method per operation, and a table of paths. */

const HEADER = `/*
 * Generated from the OpenAPI document by \`npm run client:generate\`. Do not edit: a test compares this file with the
 * document. It holds the types of the wire, the methods of the client, and a table of their methods and paths.
 */
`;

/** The hand-written types, by file. */
const IMPORTS: Readonly<Record<string, readonly string[]>> = {
  './api-promise.js': ['ApiPromise', 'ExportPromise', 'ListPromise'],
  './operation.js': [
    ...['CallOptions', 'Created', 'OperationDescription', 'PreferMinimal', 'PreferRepresentation', 'PreferStrict'],
  ],
  './record-versions.js': ['RecordVersion'],
};

/** Names of hand-written types. The document must not have a schema of such a name. */
const OWN_NAMES = [
  ...Object.values(IMPORTS).flat(),
  ...[
    'ApiResponse',
    'ClientOptions',
    'ExportLine',
    'ExportMediaType',
    'FieldError',
    'Operations',
    'RetryOptions',
    'SyncInput',
    'SyncStep',
  ],
  ...ROLES.map(toInterface),
];

/** Errors are typed by hand, on the base of this schema. */
const PROBLEM: Schema = { $ref: '#/components/schemas/Problem' };

/** The members of a schema that types leave out, because the description of a field says the same in words. */
const OMITTED = ['format', 'pattern', 'examples', 'title', 'default'];

export async function generateClient(served: OpenApiDocument): Promise<string> {
  const document = inlineFields(served, served);
  const { schemas: inlined } = document.components;
  document.components.schemas = Object.fromEntries(
    Object.entries(inlined).filter(([, schema]) => !isField(schema, document)),
  );
  const operations = listOperations(document);
  const used = reachable([PROBLEM, ...operations.flatMap(referencesOf)], document.components.schemas);
  const clash = OWN_NAMES.find((name) => used.has(name));
  if (clash !== undefined) throw new Error(`The schema ${clash} has the name of a type of the client.`);
  const inputs = operations.flatMap(({ inputName, input }) => (input ? [[inputName, input] as const] : []));
  const schemas = { ...Object.fromEntries(used), ...Object.fromEntries(inputs) };
  const code = [
    await printSchemas(document, schemas),
    ...ROLES.map((role) => printInterface(role, operations)),
    '/** The operations that need a token, one method each, by the role that may call them. */',
    `export interface Operations {\n${ROLES.map((role) => `${role}: ${toInterface(role)};`).join('\n')}\n}\n`,
    'type Table = { readonly [Role in keyof Operations]: Readonly<Record<keyof Operations[Role], OperationDescription>> };',
    `export const operations: Table = {`,
    ...ROLES.map((role) => printTable(role, operations)),
    '};',
  ].join('\n');
  return [HEADER, printImports(code), code].join('\n');
}

/**
 * The document describes shared fields and base schemas once. In types, `string` reads better than the name of a field,
 * and an interface with all of its members better than an intersection.
 */
function inlineFields<T>(value: T, document: OpenApiDocument): T {
  if (Array.isArray(value)) return value.map((item: unknown) => inlineFields(item, document)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, allOf, ...siblings } = value as Schema;
  if (allOf) return inlineFields({ ...mergeParts(allOf, document), ...siblings }, document) as T;
  const [, , section, name = ''] = $ref?.split('/') ?? [];
  const target = section === 'schemas' ? document.components.schemas[name] : undefined;
  if (target && isField(target, document)) return inlineFields({ ...target, ...siblings }, document) as T;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, inlineFields(part as unknown, document)]),
  ) as T;
}

/** Whether the schema is not an object. A field such as the id of a Client refers to the schema of all ids. */
function isField({ $ref, type = 'object' }: Schema, document: OpenApiDocument): boolean {
  const target = document.components.schemas[$ref?.split('/').at(-1) ?? ''];
  return target ? isField(target, document) : ![type].flat().includes('object');
}

/** The properties of all parts of an `allOf`, as one object. */
function mergeParts(parts: readonly Schema[], document: OpenApiDocument): Schema {
  const merged = parts.map(({ $ref, ...part }) => {
    const { allOf, ...schema } = document.components.schemas[$ref?.split('/').at(-1) ?? ''] ?? part;
    return allOf ? mergeParts(allOf, document) : schema;
  });
  const properties = Object.assign({}, ...merged.map((one) => one.properties)) as Record<string, Schema>;
  return { type: 'object', properties, required: merged.flatMap(({ required = [] }) => required) };
}

function printImports(code: string): string {
  const lines = Object.entries(IMPORTS).map(([file, names]) => {
    const used = names.filter((name) => new RegExp(`\\b${name}\\b`).test(code));
    return `import type { ${used.join(', ')} } from '${file}';`;
  });
  return `${lines.join('\n')}\n`;
}

function referencesOf({ input, results }: Operation): Schema[] {
  return [...(input ? [input] : []), ...results];
}

/** The schemas of the document that are referred to, directly or by another schema, in the order of their names. */
function reachable(roots: readonly Schema[], all: Record<string, Schema>): Map<string, Schema> {
  const found = new Map<string, Schema>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const name = (value as Schema).$ref?.split('/').at(-1);
    if (name === undefined) Object.values(value).forEach(visit);
    else if (!found.has(name) && all[name]) visit((found.set(name, all[name]), all[name]));
  };
  roots.forEach(visit);
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function printSchemas(document: OpenApiDocument, schemas: Record<string, Schema>): Promise<string> {
  const nodes = await openapiTS(
    {
      openapi: document.openapi,
      info: { title: 'types', version: '1' },
      paths: {},
      components: { schemas: { ...(simplify(schemas) as object), RecordVersion: { type: 'string' } } },
    },
    { defaultNonNullable: false, silent: true },
  );
  const members = findSchemas(nodes).filter((member) => nameOf(member) !== 'RecordVersion');
  const file = ts.createSourceFile('types.ts', '', ts.ScriptTarget.Latest);
  const printer = ts.createPrinter();
  const text = members.map((member) => printer.printNode(ts.EmitHint.Unspecified, toDeclaration(member), file));
  return text
    .join('\n\n')
    .replaceAll(/components\["schemas"\]\["(\w+)"\]/g, '$1')
    .replaceAll('@description ', '')
    .replaceAll(/^ *\* @enum \{[\w|]+\}\n/gm, '')
    .replaceAll(/ *@enum \{[\w|]+\} *(?=\*\/)/g, ' ');
}

function findSchemas(nodes: readonly ts.Node[]): ts.PropertySignature[] {
  const components = nodes.filter(ts.isInterfaceDeclaration).find(({ name }) => name.text === 'components');
  const schemas = components?.members.find((member) => nameOf(member) === 'schemas');
  if (!schemas || !ts.isPropertySignature(schemas) || !schemas.type || !ts.isTypeLiteralNode(schemas.type))
    throw new Error('openapi-typescript has not returned the schemas.');
  return schemas.type.members.filter(ts.isPropertySignature);
}

const nameOf = ({ name }: ts.TypeElement): string => (name && ts.isIdentifier(name) ? name.text : '');

/** A schema as a declaration of its own: an interface if it is an object, otherwise a type. */
function toDeclaration(member: ts.PropertySignature): ts.Node {
  const modifiers = [ts.factory.createModifier(ts.SyntaxKind.ExportKeyword)];
  const name = nameOf(member);
  const type = member.type!;
  const declaration = ts.isTypeLiteralNode(type)
    ? ts.factory.createInterfaceDeclaration(modifiers, name, undefined, undefined, type.members)
    : ts.factory.createTypeAliasDeclaration(modifiers, name, undefined, type);
  return ts.setSyntheticLeadingComments(declaration, ts.getSyntheticLeadingComments(member));
}

/** A copy without what adds only noise. Examples stay where they are one value. */
function simplify(value: unknown, isMap = true): unknown {
  if (Array.isArray(value)) return value.map((item) => simplify(item, false));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key, child]) => {
    if (isMap) return true;
    const isLongExample = key === 'example' && (typeof child === 'object' || child === '');
    return !OMITTED.includes(key) && !isLongExample && !key.startsWith('x-');
  });
  return Object.fromEntries(
    entries.map(([key, child]) => [key, key === 'enum' ? child : simplify(child, !isMap && key === 'properties')]),
  );
}

function toInterface(role: Role): string {
  return `${role[0]!.toUpperCase()}${role.slice(1)}Operations`;
}

function printInterface(role: Role, operations: readonly Operation[]): string {
  const methods = operations.filter((operation) => operation.role === role).map(printMethod);
  return `export interface ${toInterface(role)} {\n${methods.join('\n')}}\n`;
}

function printTable(role: Role, operations: readonly Operation[]): string {
  const entries = operations.filter((operation) => operation.role === role);
  return `${role}: {\n${entries.map(({ name, entry }) => `${name}: ${JSON.stringify(entry)},`).join('\n')}\n},`;
}

/** One signature for each type of the result, each with the description, which editors show for the chosen one. */
function printMethod(operation: Operation): string {
  const { name, summary, description, returns, entry, types } = operation;
  const route = `\`${entry.method} ${entry.path}\``;
  const texts = [summary, description === summary ? '' : description, route, returns && `@returns ${returns}`];
  const lines = texts.filter(Boolean).join('\n\n').replaceAll('*/', '*\\/').split('\n');
  const comment = `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */`;
  return types.map((one) => `${comment}\n${name}(${printParameters(operation, one.prefer)}): ${one.type};\n`).join('');
}

function printParameters({ input, inputName, isInputRequired }: Operation, prefer: string | undefined): string {
  const parts = [...(input ? [inputName] : []), ...(prefer ? [prefer] : [])];
  const isRequired = isInputRequired || ['PreferRepresentation', 'PreferMinimal'].includes(prefer ?? '');
  const optional = isRequired ? '' : '?';
  return [...(parts.length > 0 ? [`input${optional}: ${parts.join(' & ')}`] : []), 'options?: CallOptions'].join(', ');
}
