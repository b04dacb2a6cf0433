import { Injectable } from '@nestjs/common';
import type { ClinicPrincipal } from '../../shared/access/index.js';
import { NotFoundError } from '../../shared/errors/index.js';
import type { NdjsonLine } from '../../shared/http/index.js';
import { TenantEntityManager } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import type { Page } from '../../shared/validation/index.js';
import { DeactivationEvents } from '../events/deactivation-events.js';
import { Directory } from '../lookup/directory.js';
import { importCareProviderSchema, type ImportResult } from '../dto/import-model.js';
import {
  toCareProviderView,
  type CareProviderView,
  type ChangePerson,
  type CreatePerson,
  type PutPerson,
  type RecordQuery,
} from '../dto/record-model.js';
import { importRecords } from '../import/import-records.js';
import { ImportedTimeZoneChanges } from '../import/imported-time-zone-changes.js';
import { CareProvider } from '../domain/person.entity.js';
import {
  FOR_UPDATE,
  toRecordPage,
  putRecord,
  rejectTakenExternalId,
  toListQuery,
  type PutResult,
} from '../record/record-queries.js';
import { TimeZoneEvents } from '../events/time-zone-events.js';

/** Manages the Care Providers of a Clinic. */
@Injectable()
export class CareProviderService {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly directory: Directory,
    private readonly deactivationEvents: DeactivationEvents,
    private readonly timeZoneEvents: TimeZoneEvents,
    private readonly clock: Clock,
  ) {}

  /** @throws ConflictError if the external ID is taken */
  create(caller: ClinicPrincipal, data: CreatePerson): Promise<number> {
    return rejectTakenExternalId(
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
        return this.em.findOne(CareProvider, { clinicId, externalId }, FOR_UPDATE);
      },
      () => new CareProvider(clinicId, { ...data, externalId }, this.clock.now()),
      (careProvider) => this.deactivationEvents.changePerson(careProvider, () => careProvider.replace(data)),
    );
  }

  import(caller: ClinicPrincipal, lines: readonly NdjsonLine[]): Promise<ImportResult[]> {
    const { clinicId } = caller;
    const zones = new ImportedTimeZoneChanges(this.timeZoneEvents);
    return importRecords(this.em, lines, {
      schema: importCareProviderSchema,
      find: async (externalIds) => {
        await this.directory.requireClinic(caller);
        return this.em.find(CareProvider, { clinicId, externalId: { $in: externalIds } }, FOR_UPDATE);
      },
      create: (data) => new CareProvider(clinicId, data, this.clock.now()),
      replace: (careProvider, data) => zones.changeRecord(clinicId, careProvider, () => careProvider.replace(data)),
      afterWrite: async (entries) => {
        await zones.publish();
        for (const { row, isDeactivated } of entries)
          if (isDeactivated) await this.deactivationEvents.publishDeactivation(row);
      },
    });
  }

  list(caller: ClinicPrincipal, query: RecordQuery): Promise<Page<CareProviderView>> {
    return this.em.transactional(async (em) => {
      const clinic = await this.directory.requireClinic(caller);
      const { where, options } = toListQuery(query);
      const rows = await em.find(CareProvider, { ...where, clinicId: clinic.id }, options);
      return toRecordPage(rows, query, toCareProviderView);
    });
  }

  /** @throws NotFoundError if the Clinic has no such Care Provider */
  get(caller: ClinicPrincipal, id: number): Promise<CareProviderView> {
    return this.em.transactional(async () => toCareProviderView(await this.require(caller, id)));
  }

  /** @throws NotFoundError if the Clinic has no such Care Provider */
  change(caller: ClinicPrincipal, id: number, data: ChangePerson): Promise<CareProviderView> {
    return this.em.transactional(async () => {
      const careProvider = await this.requireLocked(caller, id);
      await this.deactivationEvents.changePerson(careProvider, () => careProvider.change(data));
      return toCareProviderView(careProvider);
    });
  }

  /** @throws NotFoundError if the Clinic has no such Care Provider */
  deactivate(caller: ClinicPrincipal, id: number): Promise<void> {
    return this.em.transactional(async () => {
      const careProvider = await this.requireLocked(caller, id);
      await this.deactivationEvents.changePerson(careProvider, () => careProvider.deactivate());
    });
  }

  /** Finds and locks the Care Provider so that concurrent changes are applied one after another. */
  private requireLocked(caller: ClinicPrincipal, id: number): Promise<CareProvider> {
    return this.require(caller, id, FOR_UPDATE);
  }

  private async require(caller: ClinicPrincipal, id: number, options: Partial<typeof FOR_UPDATE> = {}) {
    const clinic = await this.directory.requireClinic(caller);
    const careProvider = await this.em.findOne(CareProvider, { clinicId: clinic.id, id }, options);
    if (careProvider === null) throw new NotFoundError();
    return careProvider;
  }
}
