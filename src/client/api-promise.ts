/** The body of a response, with its status and headers. */
export type ApiResponse<T> = {
  data: T;
  status: number;
  headers: Headers;
  /** Path of the record, or of the list of records, that the request has created. */
  location: string | undefined;
  etag: string | undefined;
  /**
   * Whether the service had already executed a request with this `Idempotency-Key` and has repeated the stored
   * response.
   */
  isReplayed: boolean;
  /** How many times the request was sent, retries included. */
  attempts: number;
};

/** A request in progress. `await` returns the body of the response. */
export interface ApiPromise<T> extends Promise<T> {
  /** Returns the body together with the status and the headers. */
  withResponse(): Promise<ApiResponse<T>>;
}

/** A request for a list. `await` returns the first page; `for await` iterates over the items of all pages. */
export interface ListPromise<Page, Item> extends ApiPromise<Page>, AsyncIterable<Item> {
  /** Iterates over all pages. A page is requested once the previous one has been processed. */
  pages(): AsyncIterable<Page>;
}

/** The media types of an export: a JSON document, NDJSON lines, or an HTML page. */
export type ExportMediaType = 'application/json' | 'application/x-ndjson' | 'text/html';

/** One line of an export: a value, and the name of the section that it belongs to. */
export type ExportLine<Document> = {
  [Section in Exclude<keyof Document, 'isComplete'>]: {
    section: Section;
    item: Document[Section] extends readonly (infer Item)[] ? Item : Document[Section];
  };
}[Exclude<keyof Document, 'isComplete'>];

/**
 * A request for an export, which is sent when the result is used. `await` returns the whole document. `for await`
 * iterates over the values and keeps only a part of the response in memory.
 */
export interface ExportPromise<Document> extends ApiPromise<Document>, AsyncIterable<ExportLine<Document>> {
  /** Requests the export in a media type, and returns the response before its body has been received. */
  open(mediaType: ExportMediaType): Promise<Response>;
}

type AnyPage = { items: readonly unknown[]; nextCursor: string | null };
type AnyResponse = ApiResponse<unknown>;

export function createApiPromise<T>(response: Promise<ApiResponse<T>>): ApiPromise<T> {
  const data = response.then((one) => one.data);
  return Object.assign(data, {
    withResponse: () => {
      ignoreRejection(data);
      return response;
    },
  });
}

/** How to read the items of a page and the cursor of the next page. */
type Paging = {
  getItems: (page: unknown) => readonly unknown[];
  findCursor: (response: AnyResponse) => string | null;
};

/** For pages that are objects with `items` and `nextCursor`. */
const IN_BODY: Paging = {
  getItems: (page) => (page as AnyPage).items,
  findCursor: ({ data }) => (data as AnyPage).nextCursor,
};
/** For pages that are arrays. The `Link` header contains the URL of the next page (RFC 8288). */
const IN_LINK: Paging = {
  getItems: (page) => page as readonly unknown[],
  findCursor: ({ headers }) => {
    const url = /<([^>]*)>\s*;\s*rel="?next"?/i.exec(headers.get('link') ?? '')?.[1];
    return url === undefined ? null : new URL(url, 'http://service').searchParams.get('cursor');
  },
};

/**
 * Creates the promise of a list.
 *
 * @param next requests the page that begins at a cursor
 * @param paged `link` if the cursor of the next page is in the `Link` header instead of the body
 */
export function createListPromise(
  first: Promise<AnyResponse>,
  next: (cursor: string) => Promise<AnyResponse>,
  paged: true | 'link' = true,
): ListPromise<unknown, unknown> {
  const { getItems, findCursor } = paged === 'link' ? IN_LINK : IN_BODY;
  const call = createApiPromise(first);
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
