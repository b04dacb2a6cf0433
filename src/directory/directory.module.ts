import { Module } from '@nestjs/common';
import { provideAuditRecordKinds } from '../shared/audit-records/index.js';
import { AssignmentController } from './client/assignment.controller.js';
import { AssignmentService } from './client/assignment.service.js';
import { ReassignmentController } from './care-provider/reassignment.controller.js';
import { ParticipantLocks } from './lookup/participant-locks.js';
import { AssignedClientController } from './reading/assigned-client.controller.js';
import { AssignedClientReader } from './reading/assigned-client.reader.js';
import { ColleagueController } from './reading/colleague.controller.js';
import { ColleagueReader } from './reading/colleague.reader.js';
import { UsableBookController } from './reading/usable-book.controller.js';
import { BookController } from './book/book.controller.js';
import { BookService } from './book/book.service.js';
import { CareProviderController } from './care-provider/care-provider.controller.js';
import { CareProviderService } from './care-provider/care-provider.service.js';
import { SharedBookController } from './book/shared-book.controller.js';
import { DirectoryExportSource } from './client/directory-export.source.js';
import { ClientController } from './client/client.controller.js';
import { ClientService } from './client/client.service.js';
import { ClinicController } from './clinic/clinic.controller.js';
import { ClinicService } from './clinic/clinic.service.js';
import { DirectoryErasureService } from './erasure/directory-erasure.service.js';
import { DemonstrationDirectory } from './demonstration-directory.js';
import { CrossClinicReader } from './lookup/cross-clinic.reader.js';
import { DeactivationAndReassignmentEvents } from './events/deactivation-and-reassignment-events.js';
import { NameCursors } from './lookup/name-cursors.js';
import { NameSearch } from './lookup/name-search.js';
import { RecordLister } from './record/record-lister.js';
import { Directory } from './lookup/directory.js';
import { ReassignmentService } from './care-provider/reassignment.service.js';
import { PersonNameReader } from './lookup/person-name-reader.js';
import { TimeZoneReader } from './lookup/time-zone.reader.js';
import { TimeZoneEvents } from './events/time-zone-events.js';
import { Clinic } from './domain/clinic.entity.js';
import { CareProvider, Client } from './domain/person.entity.js';
import { Book } from './domain/book.entity.js';
import { ClientAssignment } from './domain/client-assignment.entity.js';

/** Manages Clinics, Care Providers, Clients, Books, and the assignments of Clients to Care Providers. */
@Module({
  controllers: [
    ClinicController,
    SharedBookController,
    CareProviderController,
    ReassignmentController,
    ClientController,
    AssignmentController,
    BookController,
    AssignedClientController,
    ColleagueController,
    UsableBookController,
  ],
  providers: [
    ClinicService,
    CareProviderService,
    ClientService,
    DirectoryExportSource,
    AssignmentService,
    BookService,
    ReassignmentService,
    AssignedClientReader,
    ColleagueReader,
    RecordLister,
    CrossClinicReader,
    Directory,
    NameCursors,
    NameSearch,
    ParticipantLocks,
    PersonNameReader,
    DeactivationAndReassignmentEvents,
    TimeZoneReader,
    TimeZoneEvents,
    DemonstrationDirectory,
    DirectoryErasureService,
    provideAuditRecordKinds({
      clinic: {},
      'care-provider': { references: ['careProviderId', 'toCareProviderId'], nested: ['careProvider'] },
      client: { references: ['clientId', 'clientIds', 'reassigned'], nested: ['client'] },
      book: { nested: ['books'] },
    }),
  ],
  exports: [
    CrossClinicReader,
    Directory,
    DirectoryExportSource,
    NameSearch,
    ParticipantLocks,
    PersonNameReader,
    DeactivationAndReassignmentEvents,
    TimeZoneReader,
    TimeZoneEvents,
    DemonstrationDirectory,
    DirectoryErasureService,
  ],
})
export class DirectoryModule {
  static readonly entities = [Clinic, CareProvider, Client, Book, ClientAssignment] as const;
}
