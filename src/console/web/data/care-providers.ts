import type { CareProvider } from '@care-scheduling/client';
import { listAll } from './list-all.js';
import { useApiQuery } from './use-api-query.js';

/** Loads all Care Providers of the Clinic by name, including inactive ones. @param enabled if false, none is loaded */
export function useCareProviders(enabled = true) {
  return useApiQuery<readonly CareProvider[]>({
    key: ['care-providers'],
    enabled,
    read: ({ clinic }, signal) => listAll((page) => clinic.listCareProviders({ ...page, sort: 'name' }, { signal })),
  });
}
