/** The error of an operating system, a network or a server, with the details that it may have. */
type RootCause = Partial<NodeJS.ErrnoException> & { address?: string; port?: number; severity?: string };

/** Finds the original error, which drivers wrap in others. */
export function findRootCause(error: unknown): RootCause {
  if (!(error instanceof Error)) return { message: String(error) };
  // If a host has several addresses, there is one error for each.
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error.cause;
  return inner instanceof Error ? findRootCause(inner) : error;
}

/** Returns the first line of an error message. Later lines repeat statements and addresses. */
export function firstLine(message = 'unknown error'): string {
  return message.split('\n', 1)[0]!;
}
