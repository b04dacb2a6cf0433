/**
 * Opens the text of a statement whose answer nobody needs: a PostgreSQL server gets it together with the one after it,
 * which fails if it does. Never the last of a transaction: that is the COMMIT.
 */
export const DEFERRED = '/* sent with the next */';
