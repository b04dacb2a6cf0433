import {
  createApiPromise,
  type ApiPromise,
  type ApiResponse,
  type ExportPromise,
  type ExportMediaType,
} from './api-promise.js';
import { ConnectionError } from './problem-error.js';

type AnyLine = { section: string; item: unknown };

/**
 * Creates the promise of an export, which sends no request before it is used.
 *
 * @param send requests the whole document
 * @param open requests the export in a media type
 * @param signal the signal with which the caller can abort the export
 */
export function createExportPromise(
  send: () => Promise<ApiResponse<unknown>>,
  open: (mediaType: ExportMediaType) => Promise<Response>,
  signal: AbortSignal | undefined,
): ExportPromise<unknown> {
  let sent: ApiPromise<unknown> | undefined;
  const call = () => (sent ??= createApiPromise(send()));
  return {
    then: (onFulfilled, onRejected) => call().then(onFulfilled, onRejected),
    catch: (onRejected) => call().catch(onRejected),
    finally: (onFinally) => call().finally(onFinally),
    withResponse: () => call().withResponse(),
    [Symbol.toStringTag]: 'ExportPromise',
    open,
    [Symbol.asyncIterator]: () => readItems(open, signal) as AsyncIterator<never>,
  };
}

/**
 * Reads the lines of an export. @throws ConnectionError if the response ends before the last line, or the reason of the
 * signal
 */
async function* readItems(
  open: (mediaType: ExportMediaType) => Promise<Response>,
  signal: AbortSignal | undefined,
): AsyncGenerator<AnyLine> {
  const response = await open('application/x-ndjson');
  for await (const text of readLines(response, signal)) {
    const line = JSON.parse(text) as AnyLine;
    if (line.section === 'isComplete') return;
    yield line;
  }
  throw new ConnectionError('The export is incomplete.', 1, undefined);
}

async function* readLines({ body }: Response, signal: AbortSignal | undefined): AsyncGenerator<string> {
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const lines = (rest + decoder.decode(part.value, { stream: true })).split('\n');
      rest = lines.pop()!;
      yield* lines;
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw new ConnectionError('The service could not be reached.', 1, error);
  } finally {
    // Cancels the rest of the response if the caller stops reading early.
    await reader.cancel().catch(() => undefined);
  }
}
