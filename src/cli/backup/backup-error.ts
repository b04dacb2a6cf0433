/** Why a backup, a restore or its check did not come about: one clear line. */
export class BackupError extends Error {}
