/** What is wrong with a request, as RFC 9457 says it. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    detail: string,
    readonly errors: readonly { pointer: string; detail: string }[] = [],
  ) {
    super(detail);
  }
}
