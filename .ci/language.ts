import { readFileSync } from 'node:fs';
import ts from 'typescript';

/* The words that check:documents refuses in documents, comments and the strings of source files. */

type BannedWord = [word: RegExp, instead: string];

const BANNED: BannedWord[] = [
  [/\b(who|whom)ever\b/i, 'name the person or the program'],
  [/\bwhom\b/i, 'begin a new sentence'],
  [/\bwho has\b/i, 'name the person or the program'],
  [/\b([Nn]o|[Ss]ome|[Aa]ny|[Ee]very)body\b/, 'name the person or the program'],
  [/(^[\s/*#]*|[.;:] )What is\b(?!.*\?)/, 'begin with a noun'],
  [/\bof (ours|theirs)\b/i, 'name the owner'],
  [/\bdepartures?\b/i, 'deactivation'],
  [/\bAS_IT_IS\b/, 'untracked'],
  [/\bundoable\b/, 'in a savepoint'],
  [/\binsertAllUnasked\b|\bSENT_WITH_NEXT\b/, 'deferred'],
  [/\bnotForEver\b/, 'timeout'],
  [/\bthe house\b/i, 'the code, the modules'],
];

/** Allowed in strings, because `story` is a column. Comments and documents put it in backticks. */
const BANNED_IN_PROSE: BannedWord[] = [[/\b(stor(y|ies))\b/i, 'history']];

const SOURCE_FILE = /\.(tsx?|mjs|cjs)$/;
/** Files that are not checked: this list of words, and SQL of an old migration with the name of a policy. */
const UNCHECKED_FILES = ['.ci/language.ts', 'src/migrations/migration-20261121190000-audit.ts'];

/** Files with comments that begin with `#`. */
const CONFIGURATION_FILE =
  /\.(ya?ml|cfg|example)$|(^|\/)(Dockerfile|\.dockerignore|\.gitignore)$|^\.ci\/(run|accounts)$/;

/** Finds banned words in a document from which code blocks have been removed. Returns one line per banned word. */
export function findBannedWordsInDocument(file: string, prose: string): string[] {
  return prose.split('\n').flatMap((line, index) => {
    const isQuotation = line.startsWith('>');
    return isQuotation ? [] : findBannedWords(`${file}:${index + 1}`, line, [...BANNED, ...BANNED_IN_PROSE]);
  });
}

/** Finds banned words in a file of the repository, by its name. Returns one line per banned word. */
export function findBannedWordsInFile(file: string): string[] {
  if (UNCHECKED_FILES.includes(file)) return [];
  if (SOURCE_FILE.test(file)) return findBannedWordsInSource(file);
  return CONFIGURATION_FILE.test(file) ? findBannedWordsInConfiguration(file) : [];
}

/** Reads the comments of a configuration file. */
function findBannedWordsInConfiguration(file: string): string[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, index) => {
      const comment = /(?:^|\s)#(.*)/.exec(line)?.[1] ?? '';
      return findBannedWords(`${file}:${index + 1}`, comment, [...BANNED, ...BANNED_IN_PROSE]);
    });
}

/** Reads the comments and strings of a source file. */
function findBannedWordsInSource(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const place = (position: number) => `${file}:${source.getLineAndCharacterOfPosition(position).line + 1}`;
  const complaints = new Set<string>();
  const visit = (node: ts.Node): void => {
    for (const { pos, end } of commentsOf(source, node)) {
      const comment = source.text.slice(pos, end).replace(/\n[ \t]*\*/g, '');
      for (const line of findBannedWords(place(pos), comment, [...BANNED, ...BANNED_IN_PROSE])) complaints.add(line);
    }
    const isTemplate = ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
    if (ts.isStringLiteralLike(node) || isTemplate || ts.isJsxText(node))
      for (const line of findBannedWords(place(node.getStart()), node.text, BANNED)) complaints.add(line);
    for (const child of node.getChildren(source)) visit(child);
  };
  visit(source);
  return [...complaints];
}

function commentsOf({ text }: ts.SourceFile, node: ts.Node): ts.CommentRange[] {
  if (node.kind === ts.SyntaxKind.JsxText) return [];
  return [
    ...(ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []),
    ...(ts.getTrailingCommentRanges(text, node.getEnd()) ?? []),
  ];
}

function findBannedWords(place: string, text: string, words: BannedWord[]): string[] {
  const prose = text.replace(/`[^`]*`/g, '');
  return words.flatMap(([word, instead]) => {
    const found = word.exec(prose);
    return found ? [`${place} says "${found[0].trim()}": ${instead}`] : [];
  });
}
