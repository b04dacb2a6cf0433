import { useApiMutation } from '../data/use-api-mutation.js';
import { useText } from '../text/text.js';
import { Button, Card } from '../ui/index.js';
import { clientExportText } from './client-export.text.js';
import { loadClientExport, saveClientExport, type DownloadMediaType } from './download-client-export.js';

/**
 * Lets the user download everything that the service holds about a Client.
 *
 * @param clientId ID of a Client of the signed-in Clinic; undefined for the signed-in Client
 */
export function ClientExportCard({ clientId }: { clientId?: number }) {
  const text = useText(clientExportText);
  const isOwn = clientId === undefined;
  return (
    <Card title={isOwn ? text.title : text.titleOfClient}>
      <p class="small quiet">{isOwn ? text.intro : text.introOfClient}</p>
      <div class="row">
        <Download clientId={clientId} type="text/html" label={text.page} />
        <Download clientId={clientId} type="application/json" label={text.document} />
      </div>
    </Card>
  );
}

type DownloadProps = { clientId: number | undefined; type: DownloadMediaType; label: string };

function Download({ clientId, type, label }: DownloadProps) {
  const text = useText(clientExportText);
  const download = useApiMutation<DownloadMediaType, Blob>({
    change: (api, mediaType) => loadClientExport(api, clientId, mediaType),
    refreshes: [],
    done: () => text.done,
    onDone: saveClientExport,
  });
  return (
    <Button icon="download" isBusy={download.isPending} onClick={() => download.mutate(type)}>
      {label}
    </Button>
  );
}
