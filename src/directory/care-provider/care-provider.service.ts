import { Injectable } from '@nestjs/common';
import type { ClinicPrincipal } from '../../shared/access/index.js';
import { NotFoundError } from '../../shared/errors/index.js';
import type { Line } from '../../shared/http/index.js';
import { TenantEntityManager } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import type { Page } from '../../shared/validation/index.js';
import { Deactivations } from '../deactivations.js';
import { Directory } from '../directory.js';
import { importCareProviderSchema, type ImportResult } from '../dto/imports.js';
import {
  viewCareProvider,
  type CareProviderView,
  type ChangePerson,
  type CreatePerson,
  type PutPerson,
  type RecordQuery,
} from '../dto/records.js';
import { importRecords } from '../import/import-records.js';
import { ImportedZones } from '../import/imported-zones.js';
import { CareProvider } from '../person.entity.js';
import { LOCKED, pageOfRecords, putRecord, refusingTakenExternalId, sliceOf, type PutResult } from '../records.js';
import { ZoneChanges } from '../clinic/zone-changes.js';

/** The Care Providers of a Clinic. */
@Injectable()
export class CareProviderService {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly directory: Directory,
    private readonly departures: Deactivations,
    private readonly zoneChanges: ZoneChanges,
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
        return this.em.findOne(CareProvider, { clinicId, externalId }, LOCKED);
      },
      () => new CareProvider(clinicId, { ...data, externalId }, this.clock.now()),
      (careProvider) => this.departures.watch(careProvider, () => careProvider.replace(data)),
    );
  }

  import(caller: ClinicPrincipal, lines: readonly Line[]): Promise<ImportResult[]> {
    const { clinicId } = caller;
    const zones = new ImportedZones(this.zoneChanges);
    return importRecords(this.em, lines, {
      schema: importCareProviderSchema,
      find: async (externalIds) => {
        await this.directory.requireClinic(caller);
        return this.em.find(CareProvider, { clinicId, externalId: { $in: externalIds } }, LOCKED);
      },
      create: (data) => new CareProvider(clinicId, data, this.clock.now()),
      replace: (careProvider, data) => zones.watch(clinicId, careProvider, () => careProvider.replace(data)),
      settle: async (entries) => {
        await zones.announce();
        for (const { row, left } of entries) if (left) await this.departures.announceLeft(row);
      },
    });
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
      const careProvider = await this.requireLocked(caller, id);
      await this.departures.watch(careProvider, () => careProvider.change(data));
      return viewCareProvider(careProvider);
    });
  }

  /** @throws NotFoundError */
  deactivate(caller: ClinicPrincipal, id: number): Promise<void> {
    return this.em.transactional(async () => {
      const careProvider = await this.requireLocked(caller, id);
      await this.departures.watch(careProvider, () => careProvider.deactivate());
    });
  }

  /** Locked, so that of two who deactivate at once only one does. */
  private requireLocked(caller: ClinicPrincipal, id: number): Promise<CareProvider> {
    return this.require(caller, id, LOCKED);
  }

  private async require(caller: ClinicPrincipal, id: number, options: Partial<typeof LOCKED> = {}) {
    const clinic = await this.directory.requireClinic(caller);
    const careProvider = await this.em.findOne(CareProvider, { clinicId: clinic.id, id }, options);
    if (careProvider === null) throw new NotFoundError();
    return careProvider;
  }
}
