/** A backup, restore or verification has failed. The message is printed without a stack trace. */
export class BackupError extends Error {}
