import { useState } from 'preact/hooks';
import { useText } from '../../text/text.js';
import { Button, Dialog, ErrorState, Field, Notice } from '../../ui/index.js';
import { useImportRecords } from '../directory-data.js';
import { directoryText } from '../directory.text.js';
import { readImportFile, type ParsedImportFile } from './import-file.js';
import { ImportResults, summariseImport } from './import-results.js';
import { RECORD_KINDS, type RecordKindName } from '../record/record-kinds.js';

/** Lets the user choose a file, shows its content, imports it, and shows the result of each line. */
export function ImportDialog({ kind, onClose }: { kind: RecordKindName; onClose: () => void }) {
  const text = useText(directoryText);
  const [file, setFile] = useState<ParsedImportFile>();
  const send = useImportRecords(kind, (results) => summariseImport(results, text));
  const fields = ['externalId', ...RECORD_KINDS[kind].fields.filter((field) => field !== 'externalId'), 'active'];
  if (kind === 'clients') fields.push('careProviderExternalIds');
  return (
    <Dialog
      title={text.importTitle(text.kinds[kind])}
      size="wide"
      onClose={onClose}
      actions={
        send.data !== undefined ? (
          <Button variant="primary" onClick={onClose}>
            {text.close}
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>{text.cancel}</Button>
            <Button
              variant="primary"
              icon="upload"
              disabled={file === undefined || file.records.length === 0}
              isBusy={send.isPending}
              onClick={() => file !== undefined && send.mutate(file)}
            >
              {text.startImport}
            </Button>
          </>
        )
      }
    >
      {send.data !== undefined ? (
        <ImportResults results={send.data} />
      ) : (
        <>
          <p>{text.importText}</p>
          <p class="small">
            {text.importFields} <code>{fields.join(', ')}</code>
          </p>
          <Field label={text.file} isRequired>
            {(control) => (
              <input
                {...control}
                class="control"
                type="file"
                accept=".ndjson,.jsonl,.json,.csv,.txt"
                // Another file would hide the results of the one that is being imported.
                disabled={send.isPending}
                onChange={(event) => {
                  send.reset();
                  void event.currentTarget.files?.[0]?.arrayBuffer().then((bytes) => setFile(readImportFile(bytes)));
                }}
              />
            )}
          </Field>
          {file !== undefined && <FileSummary file={file} />}
          {send.error !== null && <ErrorState error={send.error} />}
        </>
      )}
    </Dialog>
  );
}

function FileSummary({ file: { records, broken, guessedText } }: { file: ParsedImportFile }) {
  const text = useText(directoryText);
  if (records.length === 0) return <Notice tone="danger">{text.noRecords}</Notice>;
  return (
    <Notice tone={broken.length > 0 || guessedText !== undefined ? 'attention' : 'accent'}>
      <p role="status">{text.records(records.length)}</p>
      {broken.length > 0 && <p>{text.brokenLines(broken.length)}</p>}
      {guessedText !== undefined && <p>{text.guessedEncoding(guessedText)}</p>}
    </Notice>
  );
}
