import type { CareSchedulingClient, ExportMediaType } from '@care-scheduling/client';
import { saveFile } from '../ui/save-file.js';

const FILE_NAMES = { 'text/html': 'client-export.html', 'application/json': 'client-export.json' } as const;
export type DownloadMediaType = Extract<ExportMediaType, keyof typeof FILE_NAMES>;

/**
 * Requests an export and saves it as a file. The browser may keep a large response on disk instead of in memory.
 *
 * @param clientId ID of a Client of the calling Clinic; undefined for the calling Client
 */
export async function downloadClientExport(
  { clinic, client }: CareSchedulingClient,
  clientId: number | undefined,
  type: DownloadMediaType,
): Promise<void> {
  const call = clientId === undefined ? client.exportClient() : clinic.exportClient({ id: clientId });
  const response = await call.open(type);
  saveFile(FILE_NAMES[type], await response.blob());
}
