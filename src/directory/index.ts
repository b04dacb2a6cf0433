export { Book } from './domain/book.entity.js';
export { ClientAssignment } from './domain/client-assignment.entity.js';
export { Clinic } from './domain/clinic.entity.js';
export {
  DeactivationAndReassignmentEvents,
  type DeactivationEvent,
  type DeactivationOrReassignmentEvent,
  type ReassignmentEvent,
} from './events/deactivation-and-reassignment-events.js';
export { DemonstrationDirectory } from './demonstration-directory.js';
export { CrossClinicReader, type ContactDetails } from './lookup/cross-clinic.reader.js';
export { DirectoryExportSource, type ClientExportHeader } from './client/directory-export.source.js';
export { exportedAssignmentSchema } from './dto/client-export.js';
export { clientSchema, clinicSchema } from './dto/record-model.js';
export { Directory } from './lookup/directory.js';
export { PersonNameReader, type PersonNamesById, type NamedPerson } from './lookup/person-name-reader.js';
export { matchesName } from './lookup/folded-name.js';
export { NameSearch } from './lookup/name-search.js';
export type { NameSearchSource } from './lookup/name-search-source.js';
export {
  ParticipantLocks,
  type ClinicReference,
  type UsableReferences,
  type ParticipantStatus,
} from './lookup/participant-locks.js';
export { DirectoryModule } from './directory.module.js';
export { TimeZoneReader } from './lookup/time-zone.reader.js';
export { TimeZoneEvents } from './events/time-zone-events.js';
export {
  countHomeworkProgress,
  includedBookSchema,
  includedCareProviderSchema,
  includedClientSchema,
  createOptionalCareProviderSchema,
  createOptionalClientSchema,
  homeworkProgressSchema,
  type IncludedBook,
  type HomeworkProgress,
} from './dto/included.js';
export { scheduleConflictSchema, type ScheduleConflict } from './dto/schedule-conflict.js';
export { CareProvider, Client, toPersonKey, type PersonRef } from './domain/person.entity.js';
export { chooseLocale } from './domain/locale-choice.js';
export { chooseTimeZone } from './domain/time-zone-choice.js';
export { ASSIGNMENT_ROWS_TO_ERASE, DIRECTORY_ROWS_TO_ERASE } from './erasure/directory-erasure.js';
export { DirectoryErasureService } from './erasure/directory-erasure.service.js';
