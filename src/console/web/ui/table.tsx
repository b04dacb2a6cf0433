import type { ComponentChildren } from 'preact';

export type TableColumn<Row> = {
  key: string;
  header: string;
  cell: (row: Row) => ComponentChildren;
  align?: 'start' | 'end';
};

type TableProps<Row> = {
  /** Describes the table for screen readers. Not visible. */
  caption: string;
  columns: readonly TableColumn<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string | number;
};

/** A table. On narrow screens, each row becomes a card with the headers next to the values. */
export function Table<Row>({ caption, columns, rows, rowKey }: TableProps<Row>) {
  return (
    <table class="table table-cards">
      <caption class="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ key, header, align }) => (
            <th key={key} scope="col" class={`align-${align ?? 'start'}`}>
              {header}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={rowKey(row)}>
            {columns.map(({ key, header, cell, align }) => (
              <td key={key} class={`align-${align ?? 'start'}`} data-header={header}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
