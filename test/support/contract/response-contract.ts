import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import type { OpenApiDocument } from './openapi-document.js';
import type { TestResponse } from '../app/test-app.js';

/**
 * Checks responses against the OpenAPI document: status, content type, schema, and the headers that callers use.
 * Undocumented fields are violations.
 */
export class ResponseContract {
  private readonly ajv = new Ajv({ strict: false, allErrors: true });

  constructor(private readonly document: OpenApiDocument) {
    formats.default(this.ajv);
    this.ajv.addFormat('int64', true);
    this.ajv.addSchema(withoutAdditionalProperties(document), 'document');
  }

  /** Returns the differences between a response and the document, or an empty list. */
  findViolations(method: string, path: string, { status, headers, text }: TestResponse): unknown[] {
    const operation = this.document.paths[path]![method.toLowerCase()]!;
    const response = operation.responses[status];
    if (response === undefined) return [`status ${status} is not documented`, text];
    const undocumented = findUsedHeaders(headers).filter((name) => !(name in (response.headers ?? {})));
    if (undocumented.length > 0)
      return [`headers of ${method} ${path}, status ${status}, are not documented`, ...undocumented];
    // The schema for `Prefer: return=representation` is in an extension, because OpenAPI allows only one schema per
    // status.
    const preference = /return=(\w+)/.exec(headers.get('preference-applied') ?? '')?.[1];
    const representation = operation['x-representation']?.$ref;
    if (preference === 'minimal') return text === '' ? [] : ['a body of a minimal response', text];
    if (preference === 'representation' && representation !== undefined)
      return this.findSchemaErrors(representation.replace('#/', '').split('/'), JSON.parse(text));
    if (response.content === undefined) return text === '' ? [] : ['a body is not documented', text];
    const type = headers.get('content-type')?.split(';')[0] ?? 'none';
    if (response.content[type] === undefined) return [`content type ${type} is not documented`, text];
    const place = ['paths', path, method.toLowerCase(), 'responses', String(status), 'content', type, 'schema'];
    return parseValues(type, text).flatMap((value) => this.findSchemaErrors(place, value));
  }

  private findSchemaErrors(place: readonly string[], value: unknown): unknown[] {
    const pointer = place.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')));
    const isValid = this.ajv.getSchema(`document#/${pointer.join('/')}`)!;
    return isValid(value) ? [] : [value, isValid.errors];
  }
}

/** Finds the headers of a response that callers use in further requests. Weak tags are those of reads. */
function findUsedHeaders(headers: Headers): string[] {
  const isVersion = headers.get('etag')?.startsWith('"') ?? false;
  return ['Location', 'Link'].filter((name) => headers.has(name)).concat(isVersion ? ['ETag'] : []);
}

function parseValues(type: string, text: string): unknown[] {
  if (type === 'application/x-ndjson') return text.split('\n').flatMap((line) => (line ? [JSON.parse(line)] : []));
  return [type.endsWith('json') ? JSON.parse(text) : text];
}

/** Returns a copy of a schema in which objects may not have undocumented fields. */
function withoutAdditionalProperties<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutAdditionalProperties) as T;
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withoutAdditionalProperties(part)]));
  const isObject = [copy['type']].flat().includes('object');
  return (isObject && copy['properties'] ? { ...copy, additionalProperties: false } : copy) as T;
}
