/* A parsed import file: NDJSON, a JSON array, or CSV with a header row. */

export type ParsedImportFile = {
  /** The records, and the line number at which each record begins. */
  records: object[];
  lines: number[];
  /** Numbers of lines without a valid record. They are not sent. */
  broken: number[];
  /** Text whose encoding was guessed, which the user must check. Undefined if the file is in UTF-8. */
  guessedText?: string;
};

/** CSV columns that contain lists. */
const LIST_COLUMNS: ReadonlySet<string> = new Set(['careProviderExternalIds']);
const BOOLEAN_COLUMNS: ReadonlySet<string> = new Set(['active']);

/**
 * Decodes and parses a file. Excel saves CSV in the encoding of the computer, in Western Europe Windows-1252, unless the
 * user chooses UTF-8.
 */
export function readImportFile(bytes: ArrayBuffer): ParsedImportFile {
  const text = decodeUtf8(bytes);
  if (text !== undefined) return parseImportFile(text);
  const guess = new TextDecoder('windows-1252').decode(bytes);
  const [guessedText = ''] = /[^\n\r"',;|]*\P{ASCII}[^\n\r"',;|]*/u.exec(guess) ?? [];
  return { ...parseImportFile(guess), guessedText: guessedText.trim() };
}

function decodeUtf8(bytes: ArrayBuffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

export function parseImportFile(text: string): ParsedImportFile {
  const trimmed = text.replace(/^\uFEFF/, '');
  const start = trimmed.trimStart();
  if (start.startsWith('[')) return parseList(start);
  return start.startsWith('{') ? parseLines(trimmed) : parseCsv(trimmed);
}

function parseList(text: string): ParsedImportFile {
  const parsed = parseJson(text);
  if (!Array.isArray(parsed)) return { records: [], lines: [], broken: [1] };
  return collect(parsed.map((record: unknown, index) => [index + 1, record]));
}

function parseLines(text: string): ParsedImportFile {
  const lines = text.split(/\r?\n/).map((line, index): [number, string] => [index + 1, line.trim()]);
  return collect(lines.filter(([, line]) => line !== '').map(([number, line]) => [number, parseJson(line)]));
}

function parseCsv(text: string): ParsedImportFile {
  const separator = findSeparator(text);
  const [head, ...rows] = splitCsv(text, separator);
  const names = head?.cells?.map((cell) => cell.trim()) ?? [];
  const isRecord = (cells: CsvRow['cells']) => cells !== undefined && cells.length <= names.length;
  return collect(rows.map(({ line, cells }) => [line, isRecord(cells) ? toRecord(names, cells!) : undefined]));
}

/** Returns the first separator of the header outside quotation marks. */
function findSeparator(text: string): string {
  return /^(?:"(?:[^"]|"")*"|[^",;\r\n])*([,;])/.exec(text)?.[1] ?? ',';
}

function collect(found: readonly (readonly [number, unknown])[]): ParsedImportFile {
  const file: ParsedImportFile = { records: [], lines: [], broken: [] };
  for (const [line, record] of found) {
    if (typeof record === 'object' && record !== null && !Array.isArray(record)) {
      file.records.push(record);
      file.lines.push(line);
    } else file.broken.push(line);
  }
  return file;
}

function toRecord(names: readonly string[], cells: readonly string[]): object {
  const fields = names.map((name, index) => [name, (cells[index] ?? '').trim()] as const);
  return Object.fromEntries(
    fields.filter(([, cell]) => cell !== '').map(([name, cell]) => [name, toValue(name, cell)]),
  );
}

function toValue(name: string, cell: string): unknown {
  if (LIST_COLUMNS.has(name)) return cell.split(/[|;]/).map((part) => part.trim());
  if (BOOLEAN_COLUMNS.has(name) && /^(true|false)$/i.test(cell)) return cell.toLowerCase() === 'true';
  return cell;
}

/** `cells` is undefined for a line that cannot be read. */
type CsvRow = { line: number; cells: string[] | undefined };

/**
 * Splits CSV (RFC 4180) into rows. Quoted cells can contain separators and line breaks. Empty rows are skipped. After a
 * wrong quotation mark, no line can be read, because cells could begin and end anywhere.
 */
function splitCsv(text: string, separator: string): CsvRow[] {
  const rows: CsvRow[] = [];
  const pattern = new RegExp(`(?:"((?:[^"]|"")*)"|((?!")[^${separator}\\r\\n]*))(${separator}|\\r?\\n|$)`, 'y');
  let line = 1;
  let row = { line, start: 0, cells: [] as string[] };
  while (pattern.lastIndex < text.length || row.cells.length > 0) {
    const match = pattern.exec(text);
    if (match === null) return [...rows, ...listUnreadableLines(text.slice(row.start), row.line)];
    const [whole, quoted, plain = '', end = ''] = match;
    row.cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    line += whole.split('\n').length - 1;
    if (end === separator) continue;
    if (row.cells.some((cell) => cell.trim() !== '')) rows.push(row);
    row = { line, start: pattern.lastIndex, cells: [] };
    if (end === '') break;
  }
  return rows;
}

function listUnreadableLines(text: string, first: number): CsvRow[] {
  const lines = text.split('\n').map((content, index) => ({ content, line: first + index }));
  return lines.filter(({ content }) => content.trim() !== '').map(({ line }) => ({ line, cells: undefined }));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
