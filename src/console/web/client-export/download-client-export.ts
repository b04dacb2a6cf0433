import type { CareSchedulingClient, ExportMediaType } from '@care-scheduling/client';
import { saveFile } from '../ui/save-file.js';

const FILE_NAMES = { 'text/html': 'client-export.html', 'application/json': 'client-export.json' } as const;
export type DownloadMediaType = Extract<ExportMediaType, keyof typeof FILE_NAMES>;

/**
 * Requests an export. The browser may keep a large response on disk instead of in memory.
 *
 * @param clientId ID of a Client of the calling Clinic; undefined for the calling Client
 */
export async function loadClientExport(
  { clinic, client }: CareSchedulingClient,
  clientId: number | undefined,
  type: DownloadMediaType,
): Promise<Blob> {
  const call = clientId === undefined ? client.exportClient() : clinic.exportClient({ id: clientId });
  const response = await call.open(type);
  return response.blob();
}

export function saveClientExport(content: Blob, type: DownloadMediaType): void {
  saveFile(FILE_NAMES[type], content);
}
