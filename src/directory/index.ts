// The door of the directory: other modules import from here and from nowhere deeper.
export { Book } from './domain/book.entity.js';
export { ClientAssignment } from './domain/client-assignment.entity.js';
export { Clinic } from './domain/clinic.entity.js';
export { DeactivationEvents, type DeactivationEvent, type DeactivationHandler } from './events/deactivation-events.js';
export { DemonstrationDirectory } from './demonstration-directory.js';
export { CrossClinicReader, type ContactDetails, type PersonKind } from './lookup/cross-clinic.reader.js';
export { Directory, type ClinicReference, type ParticipantStatus } from './lookup/directory.js';
export { DirectoryModule } from './directory.module.js';
export { TimeZoneReader } from './lookup/time-zone.reader.js';
export { TimeZoneEvents, type TimeZoneChange, type TimeZoneChangeHandler } from './events/time-zone-events.js';
export { CareProvider, Client } from './domain/person.entity.js';
