/** Detail of the 403 response to a caller whose record, or whose Clinic, does not exist or is deactivated. */
export const INACTIVE_CALLER_DETAIL = 'The record that the token names does not exist or is deactivated.';
