/** The body of a response, with its status and headers. */
export type ApiResponse<T> = {
  data: T;
  status: number;
  headers: Headers;
  /** Path of the record, or of the list of records, that the request has created. */
  location: string | undefined;
  etag: string | undefined;
  /** The service has answered an earlier attempt with the same `Idempotency-Key`, and has done nothing again. */
  isReplayed: boolean;
  /** How often the request was sent. */
  attempts: number;
};

/** A request that was sent. `await` gives the body of the response. */
export interface ApiCall<T> extends Promise<T> {
  /** Gives the body together with the status and the headers. */
  withResponse(): Promise<ApiResponse<T>>;
}

/** A request for a list. `await` gives the first page, `for await` the items of all pages. */
export interface ListCall<Page, Item> extends ApiCall<Page>, AsyncIterable<Item> {
  /** All pages, each requested when the one before has been used. */
  pages(): AsyncIterable<Page>;
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

/** The caller gets the error from another promise of the same response. */
function ignoreRejection(promise: Promise<unknown>): void {
  promise.catch(() => undefined);
}
