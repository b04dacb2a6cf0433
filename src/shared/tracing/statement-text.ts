import { LRUCache } from 'lru-cache';

/** Longer texts are cut: the beginning tells which statement it is. */
const MAX_TEXT_LENGTH = 1_024;
/** How much of a statement is searched for values. A statement with values can have megabytes. */
const MAX_SEARCHED_LENGTH = 8_192;

const DESCRIPTIONS_IN_CACHE = 1_000;
const CHARACTERS_IN_CACHE = 2_000_000;

/** Values in a statement: strings (also with escapes or dollar quotes) and numbers that are no part of a name. */
const VALUES =
  /\be'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|\$(\w*)\$[\s\S]*?\$\1\$|(?<![\w$."])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi;
/** A string that has no end, because the statement was cut. */
const OPEN_STRING = /(?:'|\$\w*\$)[\s\S]*$/;

const OPERATION = /^\W*(\w+)/;
/** Not a function that returns rows. */
const TABLE = /\b(?:from|into|update|join)\s+("?[a-z_]\w*"?(?:\."?\w+"?)?)(?![\w.]*"?\()/i;

export type StatementDescription = {
  /** The operation and its first table, such as `select session`. */
  name: string;
  /** The text, with `?` for each value. */
  text: string;
};

const descriptions = new LRUCache<string, StatementDescription>({
  max: DESCRIPTIONS_IN_CACHE,
  maxSize: CHARACTERS_IN_CACHE,
  sizeCalculation: ({ text }, statement) => statement.length + text.length,
});

/**
 * Describes a statement for a span, without any value. Most values are parameters already, but the statement that sets
 * the session variables contains them as literals, as do the statements of MikroORM on the embedded database.
 */
export function describeStatement(statement: string): StatementDescription {
  const known = descriptions.get(statement);
  if (known !== undefined) return known;
  const text = removeValues(statement.slice(0, MAX_SEARCHED_LENGTH)).replaceAll(/\s+/g, ' ').trim();
  const description = { name: toName(text), text: text.slice(0, MAX_TEXT_LENGTH) };
  descriptions.set(statement, description);
  return description;
}

function removeValues(statement: string): string {
  return statement.replaceAll(VALUES, '?').replace(OPEN_STRING, '?');
}

function toName(text: string): string {
  const operation = OPERATION.exec(text)?.[1]?.toLowerCase() ?? 'statement';
  const table = TABLE.exec(text)?.[1]?.replaceAll('"', '');
  return table === undefined ? operation : `${operation} ${table}`;
}
