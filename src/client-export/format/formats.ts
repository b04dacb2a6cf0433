import { NDJSON_MEDIA_TYPE } from '../../shared/http/index.js';
import type { ExportBatch, ExportHeader } from '../dto/client-export.js';
import { EXPORT_PAGE_CSP, writeHtmlExport } from './html.js';
import { writeJsonExport } from './json.js';
import { writeNdjsonExport } from './ndjson.js';

const FORMATS = {
  'application/json': { write: writeJsonExport, extension: 'json' },
  [NDJSON_MEDIA_TYPE]: { write: writeNdjsonExport, extension: 'ndjson' },
  'text/html': { write: writeHtmlExport, extension: 'html' },
} as const;

export type ExportMediaType = keyof typeof FORMATS;

/** The media types of an export. The first one is used if the caller has no preference. */
export const EXPORT_MEDIA_TYPES = ['application/json', NDJSON_MEDIA_TYPE, 'text/html'] as const;

/** Writes an export in parts. The next part is produced only when the previous one has been sent. */
export function writeExport(
  type: ExportMediaType,
  header: ExportHeader,
  batches: AsyncIterable<ExportBatch>,
): AsyncGenerator<string> {
  return FORMATS[type].write(header, batches);
}

/** Returns the response headers for a format. The file name contains nothing about the Client. */
export function createExportHeaders(type: ExportMediaType): Record<string, string> {
  return {
    'content-type': `${type}; charset=utf-8`,
    'content-disposition': `attachment; filename="client-export.${FORMATS[type].extension}"`,
    ...(type === 'text/html' && {
      'content-security-policy': `${EXPORT_PAGE_CSP}; frame-ancestors 'none'`,
    }),
  };
}
