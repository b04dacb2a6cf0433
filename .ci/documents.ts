import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/*
 * npm run check:documents: every page, heading or issue that a comment cites exists, no link between documents is dead,
 * every page lists its sections, and the language is plain. docs/configuration.md has a check of its own.
 */

const README_BYTES = 8_192;
const TABLE_WIDTH = 120;
/** Below this, a page is read without a table of contents. */
const SECTIONS_WITHOUT_CONTENTS = 4;

/** Words that puzzle a reader, with what to write instead. Only prose counts: code has the names that it has. */
const BANNED: [RegExp, string][] = [
  [/\b(who|whom)ever\b/i, 'name the person or the program'],
  [/\bwhom\b/i, 'begin a new sentence'],
  [/\bwho has\b/i, 'name the person or the program'],
  [/\b(stor(y|ies))\b/i, 'history'],
  [/\bdepartures?\b/i, 'deactivation'],
  [/\bAS_IT_IS\b/, 'untracked'],
  [/\bundoable\b/, 'in a savepoint'],
  [/\binsertAllUnasked\b|\bSENT_WITH_NEXT\b/, 'deferred'],
  [/\bnotForEver\b/, 'timeout'],
  [/\bthe house\b/i, 'the code, the modules'],
];

/** Citations of what a reader of the repository cannot open. */
const UNREADABLE = /\b(decisions|interface|design|house), section|\bissue ["“]|\bissue #?\d|\bspecification \(?\d/i;

const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).trim().split('\n').filter(existsSync);
const documents = files.filter((file) => file.endsWith('.md'));
const sources = files.filter((file) => /\.(ts|mts|mjs|js|ya?ml|json)$|Dockerfile$|^\.ci\//.test(file));
const complaints: string[] = [];
const pages = new Map<string, string>();

function pageOf(file: string): string {
  const page = pages.get(file) ?? readFileSync(file, 'utf8');
  pages.set(file, page);
  return page;
}

/** A page without its blocks of code, which keep their lines. */
const proseOf = (page: string) => page.replace(/^( *)```.*?^\1```$/gms, (block) => block.replace(/[^\n]/g, ''));
const headingsOf = (page: string) =>
  [...proseOf(page).matchAll(/^(#+) (.*)$/gm)].map(([, level, title]) => ({ level, title: title! }));
/** As GitHub makes it of a heading. */
const anchorOf = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\-_ ]/gu, '')
    .replaceAll(' ', '-');
const hasAnchor = (page: string, anchor: string) => headingsOf(page).some(({ title }) => anchorOf(title) === anchor);
/** A heading, or the bold beginning of a line of a list. */
const hasTitle = (page: string, title: string) =>
  headingsOf(page).some((heading) => heading.title === title) || page.includes(`**${title}**`);

function checkTarget(where: string, file: string, anchor: string | undefined, title?: string): void {
  if (!existsSync(file)) complaints.push(`${where} cites ${file}, which does not exist`);
  else if (anchor && file.endsWith('.md') && !hasAnchor(pageOf(file), anchor))
    complaints.push(`${where}: ${file} has no heading #${anchor}`);
  else if (title && !hasTitle(pageOf(file), title)) complaints.push(`${where}: ${file} has nothing called "${title}"`);
}

function checkCitations(file: string): void {
  // A citation may go on in the next line of a comment.
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

function checkLanguage(file: string): void {
  const lines = proseOf(pageOf(file)).split('\n');
  for (const [number, line] of lines.entries()) {
    // Quotations are not ours.
    if (line.startsWith('>')) continue;
    const prose = line.replace(/`[^`]*`/g, '');
    for (const [word, instead] of BANNED) {
      const found = word.exec(prose);
      if (found) complaints.push(`${file}:${number + 1} says "${found[0]}": ${instead}`);
    }
  }
}

function checkContents(file: string): void {
  const page = pageOf(file);
  const sections = headingsOf(page).filter(({ level }) => level === '##');
  if (sections.length < SECTIONS_WITHOUT_CONTENTS) return;
  for (const { title } of sections)
    if (!page.includes(`](#${anchorOf(title)})`)) complaints.push(`${file}: the table of contents lacks "${title}"`);
}

for (const file of sources) if (file !== '.ci/documents.ts') checkCitations(file);
for (const file of documents) {
  checkLinks(file);
  checkLanguage(file);
  if (file.startsWith('docs/') || file === 'CONTRIBUTING.md') checkContents(file);
}
const readme = pageOf('README.md');
if (Buffer.byteLength(readme) > README_BYTES) complaints.push(`README.md has more than ${README_BYTES} bytes`);
if (readme.split('\n').some((line) => line.startsWith('|') && line.length > TABLE_WIDTH))
  complaints.push(`README.md has a table that is wider than ${TABLE_WIDTH} characters`);

for (const complaint of complaints) process.stderr.write(`${complaint}\n`);
if (complaints.length > 0) process.exitCode = 1;
else process.stdout.write(`${documents.length} documents and the citations of ${sources.length} files are in order\n`);
