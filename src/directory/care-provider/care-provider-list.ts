import type { TenantEntityManager } from '../../shared/persistence/index.js';
import { CareProvider } from '../domain/person.entity.js';
import { RECORD_NAME_SOURCE, type RecordList } from '../record/record-lister.js';

/** The list of the Care Providers of a Clinic. */
export function toCareProviderList(em: TenantEntityManager, clinicId: number): RecordList<CareProvider> {
  return {
    find: (where, options) => em.find(CareProvider, { ...where, clinicId }, options),
    countUpTo: (where, maximum) => em.countUpTo(CareProvider, { ...where, clinicId }, maximum),
    names: { source: { ...RECORD_NAME_SOURCE, table: 'care_provider', nameColumn: 'name' }, clinicIds: [clinicId] },
  };
}
