import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { findBannedWordsInDocument, findBannedWordsInFile } from './language.js';

/*
 * npm run check:documents: checks that every page or heading cited in a comment exists, no link between documents is
 * dead, names in backticks occur in the repository, every page lists its sections, and no banned word is used.
 * docs/configuration.md has its own check.
 */

const README_BYTES = 8_192;
const TABLE_WIDTH = 120;
/** A page with fewer sections needs no table of contents. */
const SECTIONS_WITHOUT_CONTENTS = 4;

/** Citations of documents that are not in the repository. */
const UNREADABLE = /\b(decisions|interface|design|house), section|\bissue ["“]|\bissue #?\d|\bspecification \(?\d/i;

// Also new files that are not staged yet.
const listFiles = ['ls-files', '--cached', '--others', '--exclude-standard'];
const files = execFileSync('git', listFiles, { encoding: 'utf8' }).trim().split('\n').filter(existsSync);
const documents = files.filter((file) => file.endsWith('.md'));
const sources = files.filter((file) => /\.(tsx?|mts|mjs|js|ya?ml|json)$|Dockerfile$|^\.ci\//.test(file));
const complaints: string[] = [];
const pages = new Map<string, string>();
const fileNames = new Set(files.map((file) => basename(file)));
const words = new Set(sources.flatMap((file) => readFileSync(file, 'utf8').match(/[\w$]+/g) ?? []));

function pageOf(file: string): string {
  const page = pages.get(file) ?? readFileSync(file, 'utf8');
  pages.set(file, page);
  return page;
}

/** Removes the code blocks from a page but keeps the line numbers. */
const proseOf = (page: string) => page.replace(/^( *)```.*?^\1```$/gms, (block) => block.replace(/[^\n]/g, ''));
const headingsOf = (page: string) =>
  [...proseOf(page).matchAll(/^(#+) (.*)$/gm)].map(([, level, title]) => ({ level, title: title! }));
/** Creates the anchor of a heading, as GitHub does. */
const anchorOf = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\-_ ]/gu, '')
    .replaceAll(' ', '-');
const hasAnchor = (page: string, anchor: string) => headingsOf(page).some(({ title }) => anchorOf(title) === anchor);
/** Whether a page has a heading, or text in bold, with this title. */
const hasTitle = (page: string, title: string) =>
  headingsOf(page).some((heading) => heading.title === title) || page.includes(`**${title}**`);

function checkTarget(where: string, file: string, anchor: string | undefined, title?: string): void {
  if (!existsSync(file)) complaints.push(`${where} cites ${file}, which does not exist`);
  else if (anchor && file.endsWith('.md') && !hasAnchor(pageOf(file), anchor))
    complaints.push(`${where}: ${file} has no heading #${anchor}`);
  else if (title && !hasTitle(pageOf(file), title)) complaints.push(`${where}: ${file} has nothing called "${title}"`);
}

function checkCitations(file: string): void {
  // A citation may continue on the next line of a comment.
  const text = readFileSync(file, 'utf8').replace(/\n[ \t]*(\*|\/\/|#) /g, ' ');
  for (const [, page, anchor, title] of text.matchAll(
    /\b(docs\/[\w/-]+\.md|[A-Z]+\.md)(?:#([\w-]+))?(?:, "([^"\n]+)")?/g,
  ))
    checkTarget(file, page!, anchor, title);
  const unreadable = UNREADABLE.exec(text);
  if (unreadable) complaints.push(`${file} cites "${unreadable[0]}", which is not in the repository`);
}

function checkLinks(file: string): void {
  for (const [, link] of proseOf(pageOf(file)).matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(link!)) continue;
    const [path, anchor] = link!.split('#');
    checkTarget(file, path ? normalize(join(dirname(file), path)) : file, anchor);
  }
}

/** The texts in backticks that are checked: identifiers, paths and file names. */
const CODE_NAME = /^[A-Za-z_$][\w$]*(\.[\w$]+)*(\(\))?$/;
const REPOSITORY_PATH = /^(src|test|docs|monitoring|\.ci)\/[\w./-]+$/;
const FILE_NAME = /^[\w.-]+\.(ts|mjs|cjs|ya?ml|json|md)$/;

function checkNames(file: string): void {
  for (const [, code] of proseOf(pageOf(file)).matchAll(/(?<!`)`([^`\n]+)`(?!`)/g)) {
    if (!isKnown(code!)) complaints.push(`${file}: \`${code}\` is not in the repository`);
  }
}

/** Names from examples and other programs, and metrics whose names are composed at run time. */
const UNCHECKED =
  /thing|pigeon|^(CREATEROLE|TRUNCATE|preStop|max_prepared_statements|timedatectl|internals|AbstractSqlConnection\.execute)$|^scheduling_/i;

function isKnown(code: string): boolean {
  if (UNCHECKED.test(code)) return true;
  if (REPOSITORY_PATH.test(code)) return existsSync(code);
  if (FILE_NAME.test(code)) return fileNames.has(code);
  return (
    !CODE_NAME.test(code) ||
    code
      .replace('()', '')
      .split('.')
      // Each variable with a secret has a second one, which names a file.
      .every((name) => words.has(name) || words.has(name.replace(/_FILE$/, '')))
  );
}

function checkContents(file: string): void {
  const page = pageOf(file);
  const sections = headingsOf(page).filter(({ level }) => level === '##');
  if (sections.length < SECTIONS_WITHOUT_CONTENTS) return;
  for (const { title } of sections)
    if (!page.includes(`](#${anchorOf(title)})`)) complaints.push(`${file}: the table of contents lacks "${title}"`);
}

for (const file of sources) if (file !== '.ci/documents.ts') checkCitations(file);
for (const file of files) complaints.push(...findBannedWordsInFile(file));
for (const file of documents) {
  checkLinks(file);
  complaints.push(...findBannedWordsInDocument(file, proseOf(pageOf(file))));
  checkNames(file);
  if (file.startsWith('docs/') || file === 'CONTRIBUTING.md') checkContents(file);
}
const readme = pageOf('README.md');
if (Buffer.byteLength(readme) > README_BYTES) complaints.push(`README.md has more than ${README_BYTES} bytes`);
if (readme.split('\n').some((line) => line.startsWith('|') && line.length > TABLE_WIDTH))
  complaints.push(`README.md has a table that is wider than ${TABLE_WIDTH} characters`);

for (const complaint of complaints) process.stderr.write(`${complaint}\n`);
if (complaints.length > 0) process.exitCode = 1;
else process.stdout.write(`${documents.length} documents and the citations of ${sources.length} files are in order\n`);
