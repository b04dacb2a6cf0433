import type { ImportResult } from '@care-scheduling/client';
import { useText } from '../../text/text.js';
import { Badge, Table, type TableColumn, type Tone } from '../../ui/index.js';
import { directoryText } from '../directory.text.js';

const STATUSES = ['refused', 'created', 'replaced', 'unchanged'] as const;
const TONES: Readonly<Record<ImportResult['status'], Tone>> = {
  refused: 'danger',
  created: 'good',
  replaced: 'accent',
  unchanged: 'neutral',
};
/** Maximum number of rows in the table. With ten thousand rows, the page would be slow. */
const MAX_SHOWN = 200;

type Texts = (typeof directoryText)['en'];

function countByStatus(results: readonly ImportResult[]) {
  return STATUSES.map((status) => ({
    status,
    count: results.filter((result) => result.status === status).length,
  })).filter(({ count }) => count > 0);
}

/** Returns a message with the number of lines of each result. */
export function summariseImport(results: readonly ImportResult[], text: Texts): string {
  const counts = countByStatus(results).map(({ status, count }) => `${text.statuses[status]}: ${count}`);
  return `${text.importDone} ${counts.join(', ')}`;
}

export function ImportResults({ results }: { results: readonly ImportResult[] }) {
  const text = useText(directoryText);
  const shown = STATUSES.flatMap((status) => results.filter((result) => result.status === status)).slice(0, MAX_SHOWN);
  const columns: TableColumn<ImportResult>[] = [
    { key: 'line', header: text.line, cell: ({ line }) => <span class="numeric">{line}</span> },
    {
      key: 'result',
      header: text.result,
      cell: ({ status }) => <Badge tone={TONES[status]}>{text.statuses[status]}</Badge>,
    },
    {
      key: 'detail',
      header: text.fields.externalId,
      cell: ({ externalId, errors }) => (errors === undefined ? externalId : <Errors errors={errors} />),
    },
  ];
  return (
    <>
      <p role="status">{text.importDone}</p>
      <ul class="directory-counts">
        {countByStatus(results).map(({ status, count }) => (
          <li key={status}>
            <Badge tone={TONES[status]}>
              {count} · {text.statuses[status]}
            </Badge>
          </li>
        ))}
      </ul>
      {results.length > MAX_SHOWN && <p class="small quiet">{text.shownFirst(MAX_SHOWN)}</p>}
      <Table caption={text.results} columns={columns} rows={shown} rowKey={({ line }) => line} />
    </>
  );
}

function Errors({ errors }: { errors: NonNullable<ImportResult['errors']> }) {
  const text = useText(directoryText);
  if (errors.length === 0) return <span>{text.notRead}</span>;
  return (
    <ul class="directory-errors">
      {errors.map(({ pointer, detail }) => (
        <li key={`${pointer} ${detail}`}>
          {pointer !== '' && <code>{pointer.slice(1)}</code>} <span lang="en">{detail}</span>
        </li>
      ))}
    </ul>
  );
}
