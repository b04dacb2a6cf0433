/** The body of a response, with its status and headers. */
export type ApiResponse<T> = {
  data: T;
  status: number;
  headers: Headers;
  /** Path of the record, or of the list of records, that the request has created. */
  location: string | undefined;
  etag: string | undefined;
  /** Whether the service had already executed the request with this `Idempotency-Key`, and repeats the response. */
  isReplayed: boolean;
  /** How many times the request was sent, retries included. */
  attempts: number;
};

/** A request in progress. `await` returns the body of the response. */
export interface ApiCall<T> extends Promise<T> {
  /** Returns the body together with the status and the headers. */
  withResponse(): Promise<ApiResponse<T>>;
}

/** A request for a list. `await` returns the first page; `for await` iterates over the items of all pages. */
export interface ListCall<Page, Item> extends ApiCall<Page>, AsyncIterable<Item> {
  /** Iterates over all pages. A page is requested once the previous one has been processed. */
  pages(): AsyncIterable<Page>;
}

/** The forms of an export: a document, lines, or a page for people. */
export type ExportMediaType = 'application/json' | 'application/x-ndjson' | 'text/html';

/** One value of an export, and the section that it belongs to. */
export type ExportLine<Document> = {
  [Section in Exclude<keyof Document, 'isComplete'>]: {
    section: Section;
    item: Document[Section] extends readonly (infer Item)[] ? Item : Document[Section];
  };
}[Exclude<keyof Document, 'isComplete'>];

/**
 * A request for an export, which is sent when the result is used. `await` returns the whole document. `for await` reads
 * one value after the other, and holds one part of the response in memory.
 */
export interface ExportCall<Document> extends ApiCall<Document>, AsyncIterable<ExportLine<Document>> {
  /** Sends the request for one form of the export, and returns the response before its body has been received. */
  open(mediaType: ExportMediaType): Promise<Response>;
}

type AnyPage = { items: readonly unknown[]; nextCursor: string | null };

export function createCall<T>(response: Promise<ApiResponse<T>>): ApiCall<T> {
  const data = response.then((one) => one.data);
  return Object.assign(data, {
    withResponse: () => {
      ignoreRejection(data);
      return response;
    },
  });
}

/** @param next requests the page at a cursor */
export function createListCall(
  first: Promise<ApiResponse<unknown>>,
  next: (cursor: string) => Promise<ApiResponse<unknown>>,
): ListCall<unknown, unknown> {
  const call = createCall(first);
  async function* pages(): AsyncGenerator<AnyPage, void, undefined> {
    ignoreRejection(call);
    for (let page = (await first).data as AnyPage; ;) {
      yield page;
      if (page.nextCursor === null) return;
      page = (await next(page.nextCursor)).data as AnyPage;
    }
  }
  async function* items(): AsyncGenerator<unknown, void, undefined> {
    for await (const page of pages()) yield* page.items;
  }
  return Object.assign(call, { pages, [Symbol.asyncIterator]: items });
}

/** Prevents an unhandled rejection. The caller receives the error from another promise of the same response. */
function ignoreRejection(promise: Promise<unknown>): void {
  promise.catch(() => undefined);
}
