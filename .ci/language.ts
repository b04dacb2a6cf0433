import { readFileSync } from 'node:fs';
import ts from 'typescript';

/* The words that check:documents refuses in documents and in the comments and strings of source files. */

type BannedWord = [word: RegExp, instead: string];

const BANNED: BannedWord[] = [
  [/\b(who|whom)ever\b/i, 'name the person or the program'],
  [/\bwhom\b/i, 'begin a new sentence'],
  [/\bwho has\b/i, 'name the person or the program'],
  [/\b([Nn]o|[Ss]ome|[Aa]ny|[Ee]very)body\b/, 'name the person or the program'],
  [/(^|[.;:] )What is\b(?!.*\?)/, 'begin with a noun'],
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

/** The folders whose source files are checked. */
const CHECKED_FOLDERS = /^(src|test|\.ci)\//;
/** Files that are not checked: the name of a policy, in SQL that is history. */
const UNCHECKED_FILES = ['src/migrations/migration-20261121190000-audit.ts'];

/** Finds banned words in a document from which code blocks have been removed. Returns one line per banned word. */
export function findBannedWordsInDocument(file: string, prose: string): string[] {
  return prose.split('\n').flatMap((line, index) => {
    const isQuotation = line.startsWith('>');
    return isQuotation ? [] : findBannedWords(`${file}:${index + 1}`, line, [...BANNED, ...BANNED_IN_PROSE]);
  });
}

/** Finds banned words in the comments and strings of a source file. Returns one line per banned word. */
export function findBannedWordsInSource(file: string): string[] {
  if (!isChecked(file)) return [];
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

function isChecked(file: string): boolean {
  if (!/\.tsx?$/.test(file) || file === '.ci/language.ts') return false;
  return CHECKED_FOLDERS.test(file) && !UNCHECKED_FILES.includes(file);
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
