import { reportConnected, reportConnectionLost } from './connection.js';

type Kept = { tag: string; body: string; headers: Headers };

/** Maximum number of cached responses for conditional requests. */
const MAX_KEPT = 100;

/**
 * Creates a `fetch` for one caller. It sends `If-None-Match` for cached responses, and returns the cached response
 * after a 304. It also reports whether the service can be reached.
 */
export function createConditionalFetch(): typeof fetch {
  const answers = new Map<string, Kept>();
  return async (input, init) => {
    const url = input instanceof Request ? input.url : input.toString();
    const isRead = (init?.method ?? 'GET') === 'GET';
    const kept = isRead ? answers.get(url) : undefined;
    const response = await send(url, kept ? withTag(init, kept.tag) : init);
    if (!isRead) return response;
    if (response.status === 304 && kept !== undefined) return new Response(kept.body, { headers: kept.headers });
    const tag = response.headers.get('etag');
    if (!response.ok || tag === null) return response;
    const body = await response.text();
    answers.delete(url);
    answers.set(url, { tag, body, headers: response.headers });
    if (answers.size > MAX_KEPT) answers.delete(answers.keys().next().value!);
    return new Response(body, { headers: response.headers });
  };
}

function withTag(init: RequestInit | undefined, tag: string): RequestInit {
  return { ...init, headers: { ...(init?.headers as Record<string, string>), 'if-none-match': tag } };
}

async function send(url: string, init: RequestInit | undefined): Promise<Response> {
  try {
    const response = await fetch(url, init);
    reportConnected();
    return response;
  } catch (error) {
    if (init?.signal?.aborted !== true) reportConnectionLost();
    throw error;
  }
}
