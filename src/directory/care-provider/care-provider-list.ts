import type { TenantEntityManager } from '../../shared/persistence/index.js';
import { CareProvider } from '../domain/person.entity.js';
import { RECORD_SEARCH_FIELDS, type RecordListDefinition } from '../record/record-lister.js';

/** Defines the list of the Care Providers of a Clinic: its table, condition and searchable names. */
export function defineCareProviderList(em: TenantEntityManager, clinicId: number): RecordListDefinition<CareProvider> {
  return {
    find: (where, options) => em.find(CareProvider, { ...where, clinicId }, options),
    countUpTo: (where, maximum) => em.countUpTo(CareProvider, { ...where, clinicId }, maximum),
    names: {
      source: { ...RECORD_SEARCH_FIELDS, table: 'care_provider', entity: CareProvider, nameColumn: 'name' },
      clinicIds: [clinicId],
    },
  };
}
