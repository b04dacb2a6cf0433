import { Injectable } from '@nestjs/common';
import type { CareProviderPrincipal } from '../../shared/access/index.js';
import { NotFoundError } from '../../shared/errors/index.js';
import { TenantEntityManager, UNTRACKED } from '../../shared/persistence/index.js';
import type { Page } from '../../shared/validation/index.js';
import { CareProvider } from '../domain/person.entity.js';
import { toColleagueView, type ColleagueView } from '../dto/care-provider-reading-model.js';
import type { RecordQuery } from '../dto/record-model.js';
import { Directory } from '../lookup/directory.js';
import { toListQuery, toRecordPage } from '../record/record-queries.js';

/** Reads the names of the Care Providers of the caller's Clinic. */
@Injectable()
export class ColleagueReader {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly directory: Directory,
  ) {}

  list(caller: CareProviderPrincipal, query: RecordQuery): Promise<Page<ColleagueView>> {
    return this.em.transactional(async (em) => {
      const clinic = await this.directory.requireStaffClinic(caller);
      const { where, options } = toListQuery(query);
      return toRecordPage(
        await em.find(CareProvider, { ...where, clinicId: clinic.id }, options),
        query,
        toColleagueView,
      );
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
