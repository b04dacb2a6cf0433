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
type AnyResponse = ApiResponse<unknown>;

export function createCall<T>(response: Promise<ApiResponse<T>>): ApiCall<T> {
  const data = response.then((one) => one.data);
  return Object.assign(data, {
    withResponse: () => {
      ignoreRejection(data);
      return response;
    },
  });
}

/** Where a list has its items and the cursor of the next page. */
type Paging = {
  getItems: (page: unknown) => readonly unknown[];
  findCursor: (response: AnyResponse) => string | null;
};

/** Pages are objects with `items` and `nextCursor`. */
const IN_BODY: Paging = {
  getItems: (page) => (page as AnyPage).items,
  findCursor: ({ data }) => (data as AnyPage).nextCursor,
};
/** Pages are lists, and the header `Link` has the URL of the next one (RFC 8288). */
const IN_LINK: Paging = {
  getItems: (page) => page as readonly unknown[],
  findCursor: ({ headers }) => {
    const url = /<([^>]*)>\s*;\s*rel="?next"?/i.exec(headers.get('link') ?? '')?.[1];
    return url === undefined ? null : new URL(url, 'http://service').searchParams.get('cursor');
  },
};

/** @param next requests the page at a cursor */
export function createListCall(
  first: Promise<AnyResponse>,
  next: (cursor: string) => Promise<AnyResponse>,
  paged: true | 'link' = true,
): ListCall<unknown, unknown> {
  const { getItems, findCursor } = paged === 'link' ? IN_LINK : IN_BODY;
  const call = createCall(first);
  async function* pages(): AsyncGenerator<unknown, void, undefined> {
    ignoreRejection(call);
    for (let response = await first; ;) {
      yield response.data;
      const cursor = findCursor(response);
      if (cursor === null) return;
      response = await next(cursor);
    }
  }
  async function* items(): AsyncGenerator<unknown, void, undefined> {
    for await (const page of pages()) yield* getItems(page);
  }
  return Object.assign(call, { pages, [Symbol.asyncIterator]: items });
}

/** Prevents an unhandled rejection. The caller receives the error from another promise of the same response. */
function ignoreRejection(promise: Promise<unknown>): void {
  promise.catch(() => undefined);
}
