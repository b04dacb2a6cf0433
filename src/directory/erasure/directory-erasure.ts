import { rowsOfClinic, rowsOfPerson, type RowsToErase } from '../../shared/erasure/index.js';

/** The assignments of Clients to Care Providers. An erasure of either person deletes them. */
export const ASSIGNMENT_ROWS_TO_ERASE: readonly RowsToErase[] = [
  {
    countedAs: 'assignments',
    table: 'client_assignment',
    CLIENT: rowsOfPerson('client_id'),
    CARE_PROVIDER: rowsOfPerson('care_provider_id'),
    CLINIC: rowsOfClinic,
  },
];

/**
 * The records that only the erasure of a Clinic deletes. After the erasure of a person, their record remains without its
 * contents, because other records refer to it.
 */
export const DIRECTORY_ROWS_TO_ERASE: readonly RowsToErase[] = [
  // The physical positions differ between the copies of a distributed database.
  { countedAs: 'books', table: 'book', key: 'id', CLINIC: rowsOfClinic },
  { countedAs: 'clients', table: 'client', CLINIC: rowsOfClinic },
  { countedAs: 'careProviders', table: 'care_provider', CLINIC: rowsOfClinic },
];
