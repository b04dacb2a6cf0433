import { EntityManager } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import type { ClinicPrincipal } from '../shared/access/index.js';
import { NotFoundError } from '../shared/errors/index.js';
import { Clock } from '../shared/time/index.js';
import type { Page } from '../shared/validation/index.js';
import { Directory } from './directory.js';
import {
  viewCareProvider,
  type CareProviderView,
  type ChangePerson,
  type CreatePerson,
  type PutPerson,
  type RecordQuery,
} from './dto/records.js';
import { CareProvider } from './person.entity.js';
import { pageOfRecords, putRecord, refusingTakenExternalId, sliceOf, type PutResult } from './records.js';

/** The Care Providers of a Clinic. */
@Injectable()
export class CareProviderService {
  constructor(
    private readonly em: EntityManager,
    private readonly directory: Directory,
    private readonly clock: Clock,
  ) {}

  /** @throws ConflictError when the external id is taken */
  create(caller: ClinicPrincipal, data: CreatePerson): Promise<number> {
    return refusingTakenExternalId(
      this.em.transactional(async (em) => {
        const clinic = await this.directory.requireClinic(caller);
        const careProvider = new CareProvider(clinic.id, data, this.clock.now());
        await em.persist(careProvider).flush();
        return careProvider.id;
      }),
    );
  }

  put(caller: ClinicPrincipal, externalId: string, data: PutPerson): Promise<PutResult> {
    const { clinicId } = caller;
    return putRecord(
      this.em,
      async () => {
        await this.directory.requireClinic(caller);
        return this.em.findOne(CareProvider, { clinicId, externalId });
      },
      () => new CareProvider(clinicId, { ...data, externalId }, this.clock.now()),
      (careProvider) => careProvider.change({ email: null, timeZone: null, locale: null, ...data }),
    );
  }

  list(caller: ClinicPrincipal, query: RecordQuery): Promise<Page<CareProviderView>> {
    return this.em.transactional(async (em) => {
      const clinic = await this.directory.requireClinic(caller);
      const { where, options } = sliceOf(query);
      const rows = await em.find(CareProvider, { ...where, clinicId: clinic.id }, options);
      return pageOfRecords(rows, query, viewCareProvider);
    });
  }

  /** @throws NotFoundError */
  get(caller: ClinicPrincipal, id: number): Promise<CareProviderView> {
    return this.em.transactional(async () => viewCareProvider(await this.require(caller, id)));
  }

  /** @throws NotFoundError */
  change(caller: ClinicPrincipal, id: number, data: ChangePerson): Promise<CareProviderView> {
    return this.em.transactional(async () => {
      const careProvider = await this.require(caller, id);
      careProvider.change(data);
      return viewCareProvider(careProvider);
    });
  }

  /** @throws NotFoundError */
  deactivate(caller: ClinicPrincipal, id: number): Promise<void> {
    return this.em.transactional(async () => (await this.require(caller, id)).deactivate());
  }

  private async require(caller: ClinicPrincipal, id: number): Promise<CareProvider> {
    const clinic = await this.directory.requireClinic(caller);
    const careProvider = await this.em.findOne(CareProvider, { clinicId: clinic.id, id });
    if (careProvider === null) throw new NotFoundError();
    return careProvider;
  }
}
