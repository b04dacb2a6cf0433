import { useApiMutation } from '../data/use-api-mutation.js';
import type { DesignPlanDocument } from '@care-scheduling/client';

/** Saves a plan as a file, which another Clinic or installation can import. */
export function useExportPlan(done: () => string) {
  return useApiMutation<number, DesignPlanDocument>({
    change: ({ clinic }, id) => clinic.exportDesignPlan({ id }),
    refreshes: [],
    done,
    onDone: (document, id) => download(`design-plan-${id}.json`, JSON.stringify(document, undefined, 2)),
  });
}

function download(fileName: string, content: string): void {
  const url = URL.createObjectURL(new Blob([content], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  // The URL is released after ten seconds. By then, the browser has read the content.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
