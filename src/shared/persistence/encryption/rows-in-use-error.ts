/** Other transactions have locked rows all the time, so the rows are still in clear text. */
export class RowsInUseError extends Error {
  constructor(counts: ReadonlyMap<string, number>) {
    const tables = [...counts].map(([table, count]) => `${count} of ${table}`).join(', ');
    super(`Rows that other transactions have locked are not encrypted (${tables}): run "npm run encrypt-rows" again.`);
  }
}
