import { LRUCache } from 'lru-cache';

/** Maximum length of the text in a span. The beginning of a statement is enough to identify it. */
const MAX_TEXT_LENGTH = 1_024;
/**
 * Maximum length of the part in which values are replaced, because a statement with values can be several megabytes in
 * size.
 */
const MAX_SEARCHED_LENGTH = 8_192;

const DESCRIPTIONS_IN_CACHE = 1_000;
const CHARACTERS_IN_CACHE = 2_000_000;

/**
 * Matches the values in a statement: strings (also with escapes or dollar quotes), and numbers that are not part of a
 * name.
 */
const VALUES =
  /\be'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|\$(\w*)\$[\s\S]*?\$\1\$|(?<![\w$."])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi;
/** Matches a string without an end, which occurs where the statement was cut off. */
const OPEN_STRING = /(?:'|\$\w*\$)[\s\S]*$/;

const OPERATION = /^\W*(\w+)/;
/** Matches the tables of a statement. A name that is followed by a parenthesis is a function, not a table. */
const TABLES = /\b(?:from|into|update|join)\s+(?!lateral\b)("?[a-z_]\w*"?(?:\."?\w+"?)?)(?![\w.]*"?\()/gi;
/** Matches the names of common table expressions, which can stand where a table does. */
const COMMON_TABLE_EXPRESSIONS = /\b([a-z_]\w*)"?(?: ?\([^()]*\))? as (?:(?:not )?materialized )?\(/gi;

type StatementDescription = {
  /** The operation and its first table, such as `select session`. */
  name: string;
  /** The statement text in which `?` replaces each value. */
  text: string;
};

const descriptions = new LRUCache<string, StatementDescription>({
  max: DESCRIPTIONS_IN_CACHE,
  maxSize: CHARACTERS_IN_CACHE,
  sizeCalculation: ({ text }, statement) => statement.length + text.length,
});

/**
 * Describes a statement for a span and removes all values. Most values are parameters, but the statement that sets the
 * session variables contains literals, and so do MikroORM's statements on the embedded database.
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
  const expressions = new Set(Array.from(text.matchAll(COMMON_TABLE_EXPRESSIONS), ([, name]) => name));
  const tables = Array.from(text.matchAll(TABLES), ([, name = '']) => name.replaceAll('"', ''));
  const table = tables.find((name) => !expressions.has(name));
  return table === undefined ? operation : `${operation} ${table}`;
}
