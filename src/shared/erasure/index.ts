export {
  ERASED_KINDS,
  ofClinic,
  ofOwner,
  ofPerson,
  SUBJECT_KINDS,
  type ErasedKind,
  type ErasedRows,
  type ErasedText,
  type ErasureSubject,
  type OwnRows,
  type SubjectKind,
} from './erased-rows.js';
