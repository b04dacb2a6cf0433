import type { ApiResponse } from './api-promise.js';
import type { Created } from './operation.js';
import { rememberEtag } from './record-versions.js';

const NDJSON = /^application\/x-ndjson\b/i;

/** Parses a successful response by its media type. If the body is empty, returns the ID and path in `Location`. */
export function toApiResponse({ status, headers }: Response, text: string, attempts: number): ApiResponse<unknown> {
  const location = headers.get('location') ?? undefined;
  const etag = headers.get('etag');
  const mediaType = headers.get('content-type') ?? '';
  // An empty NDJSON body is parsed as an empty list.
  const data = text === '' && !NDJSON.test(mediaType) ? toCreated(location) : parse(text, mediaType);
  rememberEtag(data, etag);
  return {
    ...{ data, status, headers, location, attempts },
    etag: etag ?? undefined,
    isReplayed: headers.get('idempotent-replayed') === 'true',
  };
}

function toCreated(location: string | undefined): Created | undefined {
  if (location === undefined) return undefined;
  const id = /\/(\d+)$/.exec(location)?.[1];
  return id === undefined ? undefined : { id: Number(id), location };
}

function parse(text: string, mediaType: string): unknown {
  if (NDJSON.test(mediaType))
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as unknown);
  return /^application\/([\w.-]+\+)?json\b/i.test(mediaType) ? (JSON.parse(text) as unknown) : text;
}
