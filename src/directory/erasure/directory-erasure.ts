import { ofClinic, ofPerson, type ErasedRows } from '../../shared/erasure/index.js';

export const ERASED_ASSIGNMENTS: readonly ErasedRows[] = [
  {
    countedAs: 'assignments',
    table: 'client_assignment',
    CLIENT: ofPerson('client_id'),
    CARE_PROVIDER: ofPerson('care_provider_id'),
    CLINIC: ofClinic,
  },
];

/**
 * The records that the erasure of a Clinic removes. After the erasure of a person, their record remains without its
 * contents, because other records refer to it.
 */
export const ERASED_RECORDS: readonly ErasedRows[] = [
  // The physical positions differ between the copies of a distributed database.
  { countedAs: 'books', table: 'book', key: 'id', CLINIC: ofClinic },
  { countedAs: 'clients', table: 'client', CLINIC: ofClinic },
  { countedAs: 'careProviders', table: 'care_provider', CLINIC: ofClinic },
];
