export {
  COUNTED_RECORD_KINDS,
  rowsOfClinic,
  rowsOfOwner,
  rowsOfPerson,
  SUBJECT_KINDS,
  type CountedRecordKind,
  type RowsToErase,
  type ErasureSubject,
  type RowsCondition,
  type SubjectKind,
} from './rows-to-erase.js';
