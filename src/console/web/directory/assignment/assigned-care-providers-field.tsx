import type { Dispatch, StateUpdater } from 'preact/hooks';
import { useCareProviders } from '../../data/care-providers.js';
import { useText } from '../../text/text.js';
import { CheckboxField, QueryView } from '../../ui/index.js';
import { useAssignmentChange } from '../directory-data.js';
import { directoryText } from '../directory.text.js';
import type { DirectoryRecord } from '../record/record-kinds.js';

type AssignedCareProvidersFieldProps = {
  client: DirectoryRecord;
  /** IDs of the Care Providers. The caller keeps them, because the form is not shown during other actions. */
  assigned: ReadonlySet<number>;
  setAssigned: Dispatch<StateUpdater<ReadonlySet<number>>>;
};

/**
 * Checkboxes for the Care Providers of a Client. Each change is saved immediately, and reverted if the service refuses
 * it.
 */
export function AssignedCareProvidersField({ client, assigned, setAssigned }: AssignedCareProvidersFieldProps) {
  const text = useText(directoryText);
  const careProviders = useCareProviders();
  const assignment = useAssignmentChange((isAssigned) => (isAssigned ? text.assigned : text.unassigned));
  const mark = (id: number, isAssigned: boolean) =>
    setAssigned((current) => new Set(isAssigned ? [...current, id] : [...current].filter((one) => one !== id)));
  const set = (careProviderId: number, isAssigned: boolean) => {
    mark(careProviderId, isAssigned);
    // `onError` of `mutate` would only be called for the latest change.
    assignment
      .mutateAsync({ id: client.id, careProviderId, isAssigned })
      .catch(() => mark(careProviderId, !isAssigned));
  };
  return (
    <div class="directory-more">
      <fieldset class="directory-assignments">
        <legend class="field-label">{text.assignedTo}</legend>
        <p class="field-hint">{text.assignHint}</p>
        <QueryView of={careProviders}>
          {(all) =>
            all
              .filter(({ active, id }) => active || assigned.has(id))
              .map(({ id, name }) => (
                <CheckboxField key={id} label={name} checked={assigned.has(id)} onChange={(isOn) => set(id, isOn)} />
              ))
          }
        </QueryView>
      </fieldset>
    </div>
  );
}
