/** Describes how to call an operation. The generated table contains one entry per operation. */
export type OperationDescription = {
  readonly method: string;
  readonly path: string;
  /** The headers that members of the input set: the name of the header, keyed by the member. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Query parameters whose values are separated by commas. */
  readonly lists?: readonly string[];
  /** The media type of the request body; absent for JSON. */
  readonly contentType?: string;
  /** Set if the operation accepts an `Idempotency-Key`. */
  readonly keyed?: true;
  /** Set if the operation has neither parameters nor a body. Its method takes only the options. */
  readonly noInput?: true;
  /** Set if the operation returns one page of a list: an object with a cursor, or a list with a `Link` header. */
  readonly paged?: true | 'link';
  /** Set if the operation returns a document or, on request, the values of the document as lines. */
  readonly streamed?: true;
};

/** The input of one request, keyed by name: path parameters, query parameters, headers and the body. */
export type OperationInput = Readonly<Record<string, unknown>>;

/** The result of an operation that creates a record and returns no body. */
export type Created = {
  /** Id of the new record. */
  id: number;
  /** Path of the new record. */
  location: string;
};

/** Requests a response with the created or changed record or Sessions (RFC 7240). */
export type PreferRepresentation = { prefer: 'return=representation' | 'return=representation, handling=strict' };
/** Requests a response without a body. */
export type PreferMinimal = { prefer: 'return=minimal' | 'return=minimal, handling=strict' };
/** The two operations of the specification ignore unknown fields. With `handling=strict`, they refuse them. */
export type PreferStrict = { prefer?: 'handling=strict' };

/** Options for one call. */
export type CallOptions = {
  /** Aborts the call, even while it waits for a retry. */
  signal?: AbortSignal;
  /** Timeout of one attempt in milliseconds. Overrides the option of the client. */
  timeout?: number;
  /** Overrides the retry options of the client. */
  retry?: Partial<RetryOptions>;
  /** The `Idempotency-Key` of this write. By default, the client generates one and sends it with each retry. */
  idempotencyKey?: string;
  /** ID of an open administrator access. With it, an administrator's token reads the data of the access's Clinic. */
  administratorAccess?: number;
};

/** Options for retries. A request is retried only if it cannot be executed twice. */
export type RetryOptions = {
  /** Maximum number of retries after the first attempt; 0 disables retries. */
  limit: number;
  /** Delay before the first retry in milliseconds. The delay doubles with each further retry. */
  firstDelay: number;
  /** Maximum delay in milliseconds, unless `Retry-After` requires a longer one. */
  maxDelay: number;
  /** Time limit for all attempts in milliseconds. A retry that would start later is not made. */
  maxTime: number;
};

export type ClientOptions = {
  /** Base URL of the service, such as `https://care.example.org`. */
  baseUrl: string;
  /** An access token, or a function that returns one. The client calls the function again after a 401 response. */
  token: string | (() => string | Promise<string>);
  /** Timeout of one attempt in milliseconds, including reading the body. Defaults to 30 seconds. */
  timeout?: number;
  retry?: Partial<RetryOptions>;
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch;
};

export const DEFAULT_ATTEMPT_TIMEOUT_MS = 30_000;
export const DEFAULT_RETRY_OPTIONS: Readonly<RetryOptions> = {
  limit: 4,
  firstDelay: 250,
  maxDelay: 8_000,
  maxTime: 60_000,
};
