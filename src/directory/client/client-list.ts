import type { TenantEntityManager } from '../../shared/persistence/index.js';
import { Client } from '../domain/person.entity.js';
import { RECORD_SEARCH_FIELDS, type RecordListDefinition } from '../record/record-lister.js';

/** Defines the list of the Clients of a Clinic: its table, condition and searchable names. */
export function defineClientList(em: TenantEntityManager, clinicId: number): RecordListDefinition<Client> {
  return {
    find: (where, options) => em.find(Client, { ...where, clinicId }, options),
    countUpTo: (where, maximum) => em.countUpTo(Client, { ...where, clinicId }, maximum),
    names: {
      source: { ...RECORD_SEARCH_FIELDS, table: 'client', entity: Client, nameColumn: 'name' },
      clinicIds: [clinicId],
    },
  };
}
