/** A command has failed. The message is printed without a stack trace. */
export class CommandError extends Error {}
