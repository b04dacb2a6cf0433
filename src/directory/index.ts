// The door of the directory: other modules import from here and from nowhere deeper.
export { Book } from './book/book.entity.js';
export { ClientAssignment } from './client/client-assignment.entity.js';
export { Clinic } from './clinic/clinic.entity.js';
export { DeactivationEvents, type DeactivationEvent, type DeactivationHandler } from './deactivations.js';
export { DemonstrationDirectory } from './demonstration-directory.js';
export { CrossClinicReader, type ContactDetails, type PersonKind } from './contacts.js';
export { Directory, type ClinicReference, type ParticipantStatus } from './directory.js';
export { DirectoryModule } from './directory.module.js';
export { TimeZoneReader } from './clinic/time-zones.js';
export { TimeZoneEvents, type TimeZoneChange, type TimeZoneChangeHandler } from './clinic/zone-changes.js';
export { CareProvider, Client } from './person.entity.js';
