/** The class name of an error, for logs. The error message is left out, because it can contain values from a row. */
export function getErrorClassName(error: unknown): string {
  return Error.isError(error) ? error.name : typeof error;
}

/** The code of an error, such as ECONNREFUSED or an SQLSTATE; undefined if it has none. */
export function findErrorCode(error: unknown): unknown {
  return Error.isError(error) && 'code' in error ? error.code : undefined;
}
