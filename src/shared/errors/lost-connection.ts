const MESSAGES = /timeout exceeded when trying to connect|Connection terminated|connection error and is not queryable/;

/** Recognises errors of a database connection without a code, which come from the driver or its pool. */
export function isLostConnection(error: unknown): boolean {
  return error instanceof Error && MESSAGES.test(error.message);
}
