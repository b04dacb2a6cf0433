import type { ExportBatch, ExportHeader } from '../dto/client-export.js';

/** Writes an export as one JSON document. */
export async function* writeJsonExport(
  header: ExportHeader,
  batches: AsyncIterable<ExportBatch>,
): AsyncGenerator<string> {
  yield JSON.stringify(header).slice(0, -1);
  let current: string | undefined;
  let isFirst = true;
  for await (const { section, items } of batches) {
    if (section !== current) {
      yield `${current === undefined ? '' : ']'},${JSON.stringify(section)}:[`;
      [current, isFirst] = [section, true];
    }
    if (items.length === 0) continue;
    yield `${isFirst ? '' : ','}${items.map((item) => JSON.stringify(item)).join(',')}`;
    isFirst = false;
  }
  yield '],"isComplete":true}';
}
