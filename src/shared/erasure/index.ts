export {
  COUNTED_RECORD_KINDS,
  rowsOfClinic,
  rowsOfOwner,
  rowsOfPerson,
  SUBJECT_KINDS,
  type CountedRecordKind,
  type RowsToErase,
  type TextToErase,
  type ErasureSubject,
  type RowsCondition,
  type SubjectKind,
} from './rows-to-erase.js';
