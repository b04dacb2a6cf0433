/** Detail of the 403 for a token whose record cannot act. */
export const INACTIVE_CALLER = 'The record that the token names does not exist or is deactivated.';
