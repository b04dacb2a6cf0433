import type { TenantEntityManager } from '../../shared/persistence/index.js';
import { Client } from '../domain/person.entity.js';
import { RECORD_NAME_SOURCE, type RecordList } from '../record/record-lister.js';

/** The list of the Clients of a Clinic. */
export function toClientList(em: TenantEntityManager, clinicId: number): RecordList<Client> {
  return {
    find: (where, options) => em.find(Client, { ...where, clinicId }, options),
    countUpTo: (where, maximum) => em.countUpTo(Client, { ...where, clinicId }, maximum),
    names: { source: { ...RECORD_NAME_SOURCE, table: 'client', nameColumn: 'name' }, clinicIds: [clinicId] },
  };
}
