import { useState } from 'preact/hooks';
import { useCareProviders } from '../../data/care-providers.js';
import { useText } from '../../text/text.js';
import { Button, CheckboxField, Dialog, Notice, QueryView, SelectField } from '../../ui/index.js';
import { AssignedClientsField } from './assigned-clients-field.js';
import { useClientReassignment, useUpcomingSessionsOfPerson } from '../directory-data.js';
import { directoryText } from '../directory.text.js';
import { getRecordLabel, type DirectoryRecord } from '../record/record-kinds.js';

type HandOverDialogProps = {
  careProvider: DirectoryRecord;
  /** Called when the Clients have been reassigned. */
  onDone: () => void;
  onCancel: () => void;
};

/**
 * Lets the user reassign all or some Clients of a Care Provider, with their upcoming Sessions, to another Care
 * Provider.
 */
export function HandOverDialog({ careProvider, onDone, onCancel }: HandOverDialogProps) {
  const text = useText(directoryText);
  const [to, setTo] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<number>>();
  const colleagues = useCareProviders();
  const sessions = useUpcomingSessionsOfPerson('careProviders', careProvider.id, true);
  const handOver = useClientReassignment({
    done: ({ reassigned, sessionCount }) => text.handedOver(reassigned.length, sessionCount),
    describeOverlaps: text.handedOverOverlaps,
    onDone,
  });
  return (
    <Dialog
      title={text.handOverTitle(getRecordLabel(careProvider))}
      onClose={onCancel}
      actions={
        <>
          <Button onClick={onCancel}>{text.cancel}</Button>
          <Button
            variant="primary"
            disabled={to === '' || chosen?.size === 0}
            isBusy={handOver.isPending}
            onClick={() =>
              handOver.mutate({
                id: careProvider.id,
                toCareProviderId: Number(to),
                ...(chosen && { clientIds: [...chosen] }),
              })
            }
          >
            {text.handOver}
          </Button>
        </>
      }
    >
      {chosen === undefined ? (
        <QueryView of={sessions}>
          {({ items, count }) => <p>{text.handOverText(count?.value ?? items.length)}</p>}
        </QueryView>
      ) : (
        <p>{text.handOverSomeText}</p>
      )}
      <CheckboxField
        label={text.handOverSome}
        checked={chosen !== undefined}
        onChange={(isOn) => setChosen(isOn ? new Set() : undefined)}
      />
      {chosen !== undefined && (
        <AssignedClientsField careProviderId={careProvider.id} chosen={chosen} onChange={setChosen} />
      )}
      <QueryView of={colleagues}>
        {(all) => {
          const others = all.filter(({ id, active }) => active && id !== careProvider.id);
          if (others.length === 0) return <Notice tone="attention">{text.noColleague}</Notice>;
          return (
            <SelectField
              label={text.handOverTo}
              isRequired
              value={to}
              options={[
                { value: '', label: text.choose },
                ...others.map(({ id, name }) => ({ value: String(id), label: name })),
              ]}
              onChange={setTo}
            />
          );
        }}
      </QueryView>
    </Dialog>
  );
}
