import type { DesignPlanDocument } from '@care-scheduling/client';
import { useApiMutation } from '../data/use-api-mutation.js';
import { saveFile } from '../ui/save-file.js';

/** Saves a plan as a file, which another Clinic or installation can import. */
export function useExportPlan(done: () => string) {
  return useApiMutation<number, DesignPlanDocument>({
    change: ({ clinic }, id) => clinic.exportDesignPlan({ id }),
    refreshes: [],
    done,
    onDone: (document, id) => {
      const content = JSON.stringify(document, undefined, 2);
      saveFile(`design-plan-${id}.json`, new Blob([content], { type: 'application/json' }));
    },
  });
}
