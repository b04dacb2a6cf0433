import { Module } from '@nestjs/common';
import { provideAuditRecords } from '../shared/audit-records/index.js';
import { BookController } from './book/book.controller.js';
import { BookService } from './book/book.service.js';
import { CareProviderController } from './care-provider/care-provider.controller.js';
import { CareProviderService } from './care-provider/care-provider.service.js';
import { CatalogueController } from './book/shared-book.controller.js';
import { ClientController } from './client/client.controller.js';
import { ClientService } from './client/client.service.js';
import { ClinicController } from './clinic/clinic.controller.js';
import { ClinicService } from './clinic/clinic.service.js';
import { DemonstrationDirectory } from './demonstration-directory.js';
import { CrossClinicReader } from './lookup/cross-clinic.reader.js';
import { DeactivationEvents } from './events/deactivation-events.js';
import { Directory } from './lookup/directory.js';
import { ReassignmentService } from './care-provider/reassignment.service.js';
import { TimeZoneReader } from './lookup/time-zone.reader.js';
import { TimeZoneEvents } from './events/time-zone-events.js';

/** Clinics, Care Providers, Clients, Books, and who is assigned to whom. */
@Module({
  controllers: [ClinicController, CatalogueController, CareProviderController, ClientController, BookController],
  providers: [
    ClinicService,
    CareProviderService,
    ClientService,
    BookService,
    ReassignmentService,
    CrossClinicReader,
    Directory,
    DeactivationEvents,
    TimeZoneReader,
    TimeZoneEvents,
    DemonstrationDirectory,
    provideAuditRecords({
      clinic: {},
      'care-provider': { references: ['careProviderId', 'toCareProviderId'] },
      client: { references: ['clientId', 'clientIds'] },
      book: {},
    }),
  ],
  exports: [CrossClinicReader, Directory, DeactivationEvents, TimeZoneReader, TimeZoneEvents, DemonstrationDirectory],
})
export class DirectoryModule {}
