/** An error response with problem details (RFC 9457). */
export class ProblemException extends Error {
  constructor(
    readonly status: number,
    detail: string,
    readonly errors: readonly { pointer: string; detail: string }[] = [],
  ) {
    super(detail);
  }
}
