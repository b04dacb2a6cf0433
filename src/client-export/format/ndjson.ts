import { toNdjson } from '../../shared/http/index.js';
import type { ExportBatch, ExportHeader } from '../dto/client-export.js';

/** Writes an export as NDJSON. Each line contains one value of the export and the name of its section. */
export async function* writeNdjsonExport(
  header: ExportHeader,
  batches: AsyncIterable<ExportBatch>,
): AsyncGenerator<string> {
  yield toNdjson(Object.entries(header).map(([section, item]) => ({ section, item })));
  for await (const { section, items } of batches) {
    if (items.length > 0) yield toNdjson(items.map((item) => ({ section, item })));
  }
  yield toNdjson([{ section: 'isComplete', item: true }]);
}
