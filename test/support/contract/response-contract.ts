import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import type { Document } from './openapi-document.js';
import type { Answer } from '../app/test-app.js';

/** What the OpenAPI document promises of answers: their statuses, content types and shapes, and no field beside them. */
export class Contract {
  private readonly ajv = new Ajv({ strict: false, allErrors: true });

  constructor(private readonly document: Document) {
    formats.default(this.ajv);
    this.ajv.addFormat('int64', true);
    this.ajv.addSchema(closed(document), 'document');
  }

  /** Where an answer is not one that the document tells of; nothing where it is. */
  complaints(method: string, path: string, { status, headers, text }: Answer): unknown[] {
    const response = this.document.paths[path]![method.toLowerCase()]!.responses[status];
    if (response === undefined) return [`status ${status} is not promised`, text];
    if (response.content === undefined) return text === '' ? [] : ['a body is not promised', text];
    const type = headers.get('content-type')?.split(';')[0] ?? 'none';
    if (response.content[type] === undefined) return [`content type ${type} is not promised`, text];
    const place = ['paths', path, method.toLowerCase(), 'responses', String(status), 'content', type, 'schema'];
    return valuesIn(type, text).flatMap((value) => this.mismatches(place, value));
  }

  private mismatches(place: readonly string[], value: unknown): unknown[] {
    const pointer = place.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')));
    const isValid = this.ajv.getSchema(`document#/${pointer.join('/')}`)!;
    return isValid(value) ? [] : [value, isValid.errors];
  }
}

function valuesIn(type: string, text: string): unknown[] {
  if (type === 'application/x-ndjson') return text.split('\n').flatMap((line) => (line ? [JSON.parse(line)] : []));
  return [type.endsWith('json') ? JSON.parse(text) : text];
}

/** A copy in which no object may have a field that is not described. */
function closed<T>(value: T): T {
  if (Array.isArray(value)) return value.map(closed) as T;
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, closed(part)]));
  return (copy['type'] === 'object' && copy['properties'] ? { ...copy, additionalProperties: false } : copy) as T;
}
