/** Whether overlaps with other Sessions are reported or rejected (docs/api-guide.md, "Overlaps"). */
export type ConflictPolicy = 'report' | 'reject';

/** Options for every change to a series. With `dryRun`, the transaction is rolled back once its result is known. */
export type SeriesChangeOptions = { conflicts: ConflictPolicy; dryRun: boolean };

/** Which Sessions of a series a change affects: this one, this one and the following ones, or all upcoming ones. */
export const CHANGE_SCOPES = ['this', 'following', 'series'] as const;
export type ChangeScope = (typeof CHANGE_SCOPES)[number];
