import type { FilterQuery, FindOptions } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import type { AdminPrincipal } from '../../shared/access/index.js';
import { NotFoundError, requireVersion, type ExpectedVersion } from '../../shared/errors/index.js';
import type { NdjsonRequest } from '../../shared/http/index.js';
import { TenantEntityManager } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import type { Page } from '../../shared/validation/index.js';
import { Clinic } from '../domain/clinic.entity.js';
import { clinicImportSchema, type ImportLineResult } from '../dto/import-model.js';
import {
  toClinicView,
  type ChangeClinic,
  type ClinicView,
  type CreateClinic,
  type PutClinic,
} from '../dto/record-model.js';
import type { ClinicQuery } from '../dto/record-query.js';
import { importRecords } from '../import/import-records.js';
import { ImportedTimeZoneChanges } from '../import/imported-time-zone-changes.js';
import { findByText } from '../lookup/external-ids.js';
import { TimeZoneEvents } from '../events/time-zone-events.js';
import { mapPage, RecordLister } from '../record/record-lister.js';
import { FOR_UPDATE, putRecord, rejectTakenExternalId, type PutRecordResult } from '../record/record-queries.js';

/** Lets administrators manage Clinics. */
@Injectable()
export class ClinicService {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly timeZoneEvents: TimeZoneEvents,
    private readonly clock: Clock,
    private readonly lister: RecordLister,
  ) {}

  /** @throws ConflictError if the external ID is taken */
  create(_caller: AdminPrincipal, data: CreateClinic): Promise<number> {
    return rejectTakenExternalId(
      this.em.transactional(async (em) => {
        const clinic = new Clinic(data, this.clock.now());
        await em.persist(clinic).flush();
        return clinic.id;
      }),
    );
  }

  /** @throws PreconditionFailedError if the Clinic has another version or does not exist */
  put(
    _caller: AdminPrincipal,
    externalId: string,
    data: PutClinic,
    expectedVersion?: ExpectedVersion,
  ): Promise<PutRecordResult> {
    return putRecord(this.em, {
      find: () => this.em.findOne(Clinic, { externalId }, FOR_UPDATE),
      create: () => new Clinic({ ...data, externalId }, this.clock.now()),
      change: (clinic) => this.changeClinic(clinic, () => clinic.replace(data)),
      expectedVersion,
    });
  }

  import(_caller: AdminPrincipal, request: NdjsonRequest): Promise<ImportLineResult[]> {
    const zones = new ImportedTimeZoneChanges(this.timeZoneEvents);
    return importRecords(this.em, request, {
      schema: clinicImportSchema,
      entity: Clinic,
      find: (externalIds) =>
        findByText(this.em, { table: 'clinic', column: 'external_id', scope: sql`true` }, externalIds),
      idFilter: (ids) => ({ id: { $in: ids } }),
      create: (data) => new Clinic(data, this.clock.now()),
      replace: (clinic, data) => zones.changeAndTrack(clinic.id, clinic, () => clinic.replace(data)),
      afterWrite: () => zones.publish(),
    });
  }

  list(_caller: AdminPrincipal, query: ClinicQuery): Promise<Page<ClinicView>> {
    return this.em.transactional(async (em) => {
      const find = (where: FilterQuery<Clinic>, options: FindOptions<Clinic>) => em.find(Clinic, where, options);
      const countUpTo = (where: FilterQuery<Clinic>, maximum: number) => em.countUpTo(Clinic, where, maximum);
      return mapPage(await this.lister.list({ find, countUpTo }, query), toClinicView);
    });
  }

  /** @throws NotFoundError if there is no such Clinic */
  get(_caller: AdminPrincipal, id: number): Promise<ClinicView> {
    return this.em.transactional(async () => toClinicView(await this.require(id)));
  }

  /** @throws NotFoundError if there is no such Clinic, PreconditionFailedError if it has another version */
  change(_caller: AdminPrincipal, id: number, data: ChangeClinic, seenVersion?: number): Promise<ClinicView> {
    return rejectTakenExternalId(
      this.em.transactional(async () => {
        const clinic = await this.require(id, FOR_UPDATE);
        requireVersion(clinic, seenVersion);
        await this.changeClinic(clinic, () => clinic.change(data));
        return toClinicView(clinic);
      }),
    );
  }

  /** @throws NotFoundError if there is no such Clinic, PreconditionFailedError if it has another version */
  deactivate(_caller: AdminPrincipal, id: number, seenVersion?: number): Promise<void> {
    return this.em.transactional(async () => {
      const clinic = await this.require(id, FOR_UPDATE);
      requireVersion(clinic, seenVersion);
      clinic.deactivate();
    });
  }

  private changeClinic(clinic: Clinic, change: () => void): Promise<void> {
    return this.timeZoneEvents.changeAndTrack(clinic, { clinicId: clinic.id }, change);
  }

  private async require(id: number, options: Partial<typeof FOR_UPDATE> = {}): Promise<Clinic> {
    const clinic = await this.em.findOne(Clinic, { id }, options);
    if (clinic === null) throw new NotFoundError();
    return clinic;
  }
}
