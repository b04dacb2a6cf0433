/** Whether overlaps with other Sessions are reported or rejected (docs/api-guide.md, "Overlaps"). */
export type ConflictPolicy = 'report' | 'reject';

/** Options for every change to a series. With `dryRun`, the transaction is rolled back once its result is known. */
export type SeriesChangeOptions = { conflicts: ConflictPolicy; dryRun: boolean };
