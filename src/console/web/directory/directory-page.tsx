import './directory.css';
import { useState } from 'preact/hooks';
import type { PageProps } from '../app/page-props.js';
import { replaceRoute } from '../app/router.js';
import { requireSignedInCaller } from '../app/sign-in/sign-in.js';
import { useText } from '../text/text.js';
import { Button, Page, SegmentedControl } from '../ui/index.js';
import { directoryText } from './directory.text.js';
import { ImportDialog } from './import/import-dialog.js';
import { RecordDialog } from './record/record-dialog.js';
import { RECORD_KINDS_BY_ROLE, type DirectoryRecord, type RecordKindName } from './record/record-kinds.js';
import { RecordList } from './record/record-list.js';

type Opened = { kind: 'new' } | { kind: 'record'; record: DirectoryRecord } | { kind: 'import' } | undefined;

/** The page with the records of a Clinic or, for an administrator, with the Clinics and the shared catalogue. */
export default function DirectoryPage({ query }: PageProps) {
  const text = useText(directoryText);
  const { role } = requireSignedInCaller();
  const kinds = RECORD_KINDS_BY_ROLE[role] ?? [];
  const kind = kinds.find((one) => one === query.get('of')) ?? kinds[0]!;
  const [opened, setOpened] = useState<Opened>();
  const close = () => setOpened(undefined);
  return (
    <Page
      title={text.title}
      intro={role === 'ADMIN' ? text.introAdmin : text.intro}
      actions={
        <>
          <Button icon="upload" onClick={() => setOpened({ kind: 'import' })}>
            {text.import}
          </Button>
          <Button variant="primary" icon="plus" onClick={() => setOpened({ kind: 'new' })}>
            {text.add(text.one[kind])}
          </Button>
        </>
      }
    >
      <SegmentedControl<RecordKindName>
        label={text.list}
        value={kind}
        options={kinds.map((value) => ({ value, label: text.kinds[value] }))}
        onChange={(value) => replaceRoute(value === kinds[0] ? '/directory' : `/directory?of=${value}`)}
      />
      <RecordList key={kind} kind={kind} onOpen={(record) => setOpened({ kind: 'record', record })} />
      {opened?.kind === 'import' && <ImportDialog kind={kind} onClose={close} />}
      {opened?.kind === 'new' && <RecordDialog kind={kind} onClose={close} />}
      {opened?.kind === 'record' && <RecordDialog kind={kind} record={opened.record} onClose={close} />}
    </Page>
  );
}
