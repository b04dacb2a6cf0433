import { Injectable } from '@nestjs/common';
import type { CareProviderPrincipal } from '../../shared/access/index.js';
import { NotFoundError } from '../../shared/errors/index.js';
import { TenantEntityManager, UNTRACKED } from '../../shared/persistence/index.js';
import type { Page } from '../../shared/validation/index.js';
import { CareProvider } from '../domain/person.entity.js';
import { toColleagueView, type ColleagueView } from '../dto/care-provider-reading-model.js';
import type { PersonQuery } from '../dto/record-query.js';
import { defineCareProviderList } from '../care-provider/care-provider-list.js';
import { Directory } from '../lookup/directory.js';
import { mapPage, RecordLister } from '../record/record-lister.js';

/** Reads the names of the Care Providers of the caller's Clinic. */
@Injectable()
export class ColleagueReader {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly directory: Directory,
    private readonly lister: RecordLister,
  ) {}

  list(caller: CareProviderPrincipal, query: PersonQuery): Promise<Page<ColleagueView>> {
    return this.em.transactional(async (em) => {
      const clinic = await this.directory.requireStaffClinic(caller);
      return mapPage(await this.lister.list(defineCareProviderList(em, clinic.id), query), toColleagueView);
    });
  }

  /** @throws NotFoundError if the caller's Clinic has no such Care Provider */
  get(caller: CareProviderPrincipal, id: number): Promise<ColleagueView> {
    return this.em.transactional(async (em) => {
      const clinic = await this.directory.requireStaffClinic(caller);
      const careProvider = await em.findOne(CareProvider, { clinicId: clinic.id, id }, UNTRACKED);
      if (careProvider === null) throw new NotFoundError();
      return toColleagueView(careProvider);
    });
  }
}
