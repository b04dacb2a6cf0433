/** A row of the generated table: how an operation is called. */
export type OperationDescription = {
  readonly method: string;
  readonly path: string;
  /** Headers that are members of the input, by the name of the member. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Query parameters whose values are separated by commas. */
  readonly lists?: readonly string[];
  /** The media type of the body, unless it is JSON. */
  readonly contentType?: string;
  /** The operation takes an `Idempotency-Key`. */
  readonly keyed?: true;
  /** The operation has no parameter and no body, so the method takes the options alone. */
  readonly noInput?: true;
  /** The operation returns pages. */
  readonly paged?: true;
};

/** Path parameters, query parameters, headers and the body of one request, by name. */
export type OperationInput = Readonly<Record<string, unknown>>;

/** Where a new record is, for operations that answer without a body. */
export type Created = {
  /** Id of the new record. */
  id: number;
  /** Path of the new record. */
  location: string;
};

/** The answer has the record or the Sessions that were created or changed (RFC 7240). */
export type PreferRepresentation = { prefer: 'return=representation' | 'return=representation, handling=strict' };
/** The answer has no body. */
export type PreferMinimal = { prefer: 'return=minimal' | 'return=minimal, handling=strict' };
/** The two operations of the specification ignore unknown fields; `handling=strict` makes them an error. */
export type PreferStrict = { prefer?: 'handling=strict' };

/** Settings of one call. */
export type CallOptions = {
  /** Ends the call, also while it waits for a retry. */
  signal?: AbortSignal;
  /** Milliseconds for one attempt. Replaces the setting of the client. */
  timeout?: number;
  /** Replaces settings of the client. */
  retry?: Partial<RetryOptions>;
  /** The `Idempotency-Key` of this write. Absent: the client creates one, and sends it with each retry. */
  idempotencyKey?: string;
};

/** When a request is sent again. A request is sent again only if it cannot be executed twice. */
export type RetryOptions = {
  /** Number of retries after the first attempt; 0 switches retries off. */
  limit: number;
  /** Milliseconds before the first retry. Each further retry waits twice as long. */
  firstDelay: number;
  /** The longest wait in milliseconds, unless `Retry-After` asks for more. */
  maxDelay: number;
  /** Milliseconds in which the last retry must end. A retry that would start later is not made. */
  maxTime: number;
};

export type ClientOptions = {
  /** Where the service is, such as `https://care.example.org`. */
  baseUrl: string;
  /** An access token, or a function that gets one. The client calls the function again when a token is refused with 401. */
  token: string | (() => string | Promise<string>);
  /** Milliseconds for one attempt, including the body of the response. Absent: 30 seconds. */
  timeout?: number;
  retry?: Partial<RetryOptions>;
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch;
};

export const DEFAULT_TIMEOUT = 30_000;
export const DEFAULT_RETRY: Readonly<RetryOptions> = { limit: 4, firstDelay: 250, maxDelay: 8_000, maxTime: 60_000 };
