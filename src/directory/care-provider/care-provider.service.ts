import { Injectable } from '@nestjs/common';
import type { ClinicPrincipal } from '../../shared/access/index.js';
import type { NdjsonRequest } from '../../shared/http/index.js';
import type { Page } from '../../shared/validation/index.js';
import { careProviderImportSchema, type ImportLineResult } from '../dto/import-model.js';
import { toCareProviderView, type CareProviderView } from '../dto/record-model.js';
import type { PersonQuery } from '../dto/record-query.js';
import { importRecords } from '../import/import-records.js';
import { ImportedTimeZoneChanges } from '../import/imported-time-zone-changes.js';
import { CareProvider, type PersonData } from '../domain/person.entity.js';
import { PersonService, type PersonFilter } from '../person/person.service.js';
import { mapPage } from '../record/record-lister.js';
import { FOR_UPDATE } from '../record/record-queries.js';
import { defineCareProviderList } from './care-provider-list.js';

/** Manages the Care Providers of a Clinic. */
@Injectable()
export class CareProviderService extends PersonService<CareProvider, CareProviderView> {
  protected override readonly entity = CareProvider;

  import(caller: ClinicPrincipal, request: NdjsonRequest): Promise<ImportLineResult[]> {
    const { clinicId } = caller;
    const zones = new ImportedTimeZoneChanges(this.timeZoneEvents);
    return importRecords(this.em, request, {
      schema: careProviderImportSchema,
      entity: CareProvider,
      find: (externalIds) => this.findImported(caller, externalIds),
      idFilter: (ids) => ({ clinicId, id: { $in: ids } }),
      create: (data) => this.instantiate(clinicId, data),
      replace: (careProvider, data) => zones.changeAndTrack(clinicId, careProvider, () => careProvider.replace(data)),
      afterWrite: () => zones.publish(),
      deactivation: this.handleImportedDeactivation(clinicId, 'CARE_PROVIDER'),
    });
  }

  list(caller: ClinicPrincipal, query: PersonQuery): Promise<Page<CareProviderView>> {
    return this.em.transactional(async (em) => {
      const clinic = await this.directory.requireClinic(caller);
      return mapPage(await this.lister.list(defineCareProviderList(em, clinic.id), query), toCareProviderView);
    });
  }

  protected override instantiate(clinicId: number, data: PersonData): CareProvider {
    return new CareProvider(clinicId, data, this.clock.now());
  }

  protected override findOne(where: PersonFilter, options: Partial<typeof FOR_UPDATE>): Promise<CareProvider | null> {
    return this.em.findOne(CareProvider, where, options);
  }

  protected override toView(careProvider: CareProvider): CareProviderView {
    return toCareProviderView(careProvider);
  }
}
