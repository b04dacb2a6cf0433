import type { CallOptions, OperationDescription, OperationInput } from './operation.js';
import { toIfMatch } from './record-versions.js';

/** A request that can be sent several times. */
export type PreparedRequest = {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string | undefined;
  /** Whether a repeated request is executed only once, whatever the outcome of the previous attempt. */
  isRepeatable: boolean;
};

const NDJSON = 'application/x-ndjson';

export function prepareRequest(
  baseUrl: string,
  operation: OperationDescription,
  input: OperationInput,
  { idempotencyKey }: CallOptions,
): PreparedRequest {
  const { method, path, keyed, contentType = 'application/json', headers: headerNames = {} } = operation;
  const headers: Record<string, string> = { accept: 'application/json, application/problem+json, */*' };
  for (const [member, name] of Object.entries(headerNames)) {
    const value = input[member];
    if (isGiven(value)) headers[name] = name === 'if-match' ? toIfMatch(value) : String(value);
  }
  if (keyed) headers['idempotency-key'] = idempotencyKey ?? createKey();
  const body = toBody(input['body'], contentType);
  if (body !== undefined) headers['content-type'] = contentType;
  return {
    url: toUrl(baseUrl, path, input, operation),
    ...{ method, headers, body, isRepeatable: method === 'GET' || keyed === true },
  };
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** Input members that belong neither to the path nor to the headers or the body become query parameters. */
function toUrl(baseUrl: string, path: string, input: OperationInput, operation: OperationDescription): string {
  const { headers = {}, lists = [] } = operation;
  const used = new Set(['body', ...Object.keys(headers)]);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (!isGiven(input[name])) throw new TypeError(`${name} is required.`);
    used.add(name);
    return encodeURIComponent(String(input[name]));
  });
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input)) {
    if (used.has(name) || !isGiven(value)) continue;
    if (!Array.isArray(value)) query.append(name, String(value));
    else if (lists.includes(name)) query.append(name, value.join(','));
    else for (const one of value) query.append(name, String(one));
  }
  const search = query.toString();
  return `${baseUrl.replace(/\/+$/, '')}${filled}${search && `?${search}`}`;
}

function toBody(body: unknown, contentType: string): string | undefined {
  if (body === undefined) return undefined;
  if (contentType !== NDJSON) return JSON.stringify(body);
  return (body as readonly unknown[]).map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Returns a random UUID. Browsers support `randomUUID` only on secure origins. */
function createKey(): string {
  if (typeof crypto.randomUUID === 'function') return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
