import { Module } from '@nestjs/common';
import { provideAuditRecords } from '../shared/audit-records/index.js';
import { BookController } from './book/book.controller.js';
import { BookService } from './book/book.service.js';
import { CareProviderController } from './care-provider/care-provider.controller.js';
import { CareProviderService } from './care-provider/care-provider.service.js';
import { CatalogueController } from './catalogue.controller.js';
import { ClientController } from './client/client.controller.js';
import { ClientService } from './client/client.service.js';
import { ClinicController } from './clinic/clinic.controller.js';
import { ClinicService } from './clinic/clinic.service.js';
import { DemonstrationDirectory } from './demonstration-directory.js';
import { Contacts } from './contacts.js';
import { Deactivations } from './deactivations.js';
import { Directory } from './directory.js';
import { ReassignmentService } from './care-provider/reassignment.service.js';
import { TimeZones } from './clinic/time-zones.js';
import { ZoneChanges } from './clinic/zone-changes.js';

/** Clinics, Care Providers, Clients, Books, and who is assigned to whom. */
@Module({
  controllers: [ClinicController, CatalogueController, CareProviderController, ClientController, BookController],
  providers: [
    ClinicService,
    CareProviderService,
    ClientService,
    BookService,
    ReassignmentService,
    Contacts,
    Directory,
    Deactivations,
    TimeZones,
    ZoneChanges,
    DemonstrationDirectory,
    provideAuditRecords({
      clinic: {},
      'care-provider': { references: ['careProviderId', 'toCareProviderId'] },
      client: { references: ['clientId', 'clientIds'] },
      book: {},
    }),
  ],
  exports: [Contacts, Directory, Deactivations, TimeZones, ZoneChanges, DemonstrationDirectory],
})
export class DirectoryModule {}
