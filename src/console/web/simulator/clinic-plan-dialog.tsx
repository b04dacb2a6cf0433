import type { DesignPlanModel, DesignPlanPage } from '@care-scheduling/client';
import { useState } from 'preact/hooks';
import { useDebounced } from '../data/use-debounced.js';
import { useApiMutation } from '../data/use-api-mutation.js';
import { useApiQuery } from '../data/use-api-query.js';
import { useWhileMounted } from '../data/use-while-mounted.js';
import { useText } from '../text/text.js';
import { Button, Dialog, QueryView, Skeleton, TextField } from '../ui/index.js';
import { extractReminderTimes, type PlanReminderTimes } from './plan-reminder-times.js';
import { simulatorText } from './simulator.text.js';

const MAX_SHOWN = 20;

type ClinicPlanDialogProps = { onTake: (plan: PlanReminderTimes) => void; onClose: () => void };

/** Lets the user choose one of the Clinic's plans to simulate. */
export function ClinicPlanDialog({ onTake, onClose }: ClinicPlanDialogProps) {
  const text = useText(simulatorText);
  const [search, setSearch] = useState('');
  const plans = useDesignPlans(useDebounced(search.trim()));
  const take = useApiMutation<number, DesignPlanModel>({
    change: ({ clinic }, id) => clinic.getDesignPlan({ id }),
    refreshes: [],
    // The user may have closed the dialog or be on another page by now.
    onDone: useWhileMounted((plan) => onTake(extractReminderTimes(plan))),
  });
  return (
    <Dialog title={text.clinicPlans} onClose={onClose} actions={<Button onClick={onClose}>{text.cancel}</Button>}>
      <div class="stack">
        <p class="small quiet">{text.clinicPlansNote}</p>
        <TextField label={text.searchPlans} type="search" isRequired value={search} onChange={setSearch} />
        <QueryView of={plans} skeleton={<Skeleton rows={3} />}>
          {({ items, nextCursor }) => (
            <>
              {items.length === 0 && <p role="status">{text.noPlan}</p>}
              <ul class="simulator-plans">
                {items.map(({ id, planName }) => (
                  <li key={id}>
                    <Button isBusy={take.isPending && take.variables === id} onClick={() => take.mutate(id)}>
                      {planName}
                    </Button>
                  </li>
                ))}
              </ul>
              {nextCursor !== null && <p class="small quiet">{text.morePlans}</p>}
            </>
          )}
        </QueryView>
      </div>
    </Dialog>
  );
}

function useDesignPlans(name: string) {
  return useApiQuery<DesignPlanPage>({
    key: ['simulator', 'plans', name],
    keepsPrevious: true,
    read: ({ clinic }, signal) =>
      clinic.listDesignPlans({ sort: 'name', limit: MAX_SHOWN, ...(name !== '' && { name }) }, { signal }),
  });
}
