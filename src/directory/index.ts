// The door of the directory: other modules import from here and from nowhere deeper.
export { Book } from './book/book.entity.js';
export { ClientAssignment } from './client/client-assignment.entity.js';
export { Clinic } from './clinic/clinic.entity.js';
export { Deactivations, type DeactivationEvent, type DeactivationHandler } from './deactivations.js';
export { DemonstrationDirectory } from './demonstration-directory.js';
export { Contacts, type Contact, type PersonKind } from './contacts.js';
export { Directory, type ClinicAt, type Held } from './directory.js';
export { DirectoryModule } from './directory.module.js';
export { TimeZones } from './clinic/time-zones.js';
export { ZoneChanges, type ZoneChange, type ZoneChangeHandler } from './clinic/zone-changes.js';
export { CareProvider, Client } from './person.entity.js';
