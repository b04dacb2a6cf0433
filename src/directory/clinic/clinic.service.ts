import { Injectable } from '@nestjs/common';
import { NotFoundError } from '../../shared/errors/index.js';
import type { Line } from '../../shared/http/index.js';
import { TenantEntityManager } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import type { Page } from '../../shared/validation/index.js';
import { Clinic } from './clinic.entity.js';
import { importClinicSchema, type ImportResult } from '../dto/imports.js';
import {
  viewClinic,
  type ChangeClinic,
  type ClinicView,
  type CreateClinic,
  type PutClinic,
  type RecordQuery,
} from '../dto/records.js';
import { importRecords } from '../import/import-records.js';
import { ImportedZones } from '../import/imported-zones.js';
import { ZoneChanges } from './zone-changes.js';
import { LOCKED, pageOfRecords, putRecord, refusingTakenExternalId, sliceOf, type PutResult } from '../records.js';

/** Clinics, as an administrator sees them. */
@Injectable()
export class ClinicService {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly zoneChanges: ZoneChanges,
    private readonly clock: Clock,
  ) {}

  /** @throws ConflictError when the external id is taken */
  create(data: CreateClinic): Promise<number> {
    return refusingTakenExternalId(
      this.em.transactional(async (em) => {
        const clinic = new Clinic(data, this.clock.now());
        await em.persist(clinic).flush();
        return clinic.id;
      }),
    );
  }

  put(externalId: string, data: PutClinic): Promise<PutResult> {
    return putRecord(
      this.em,
      () => this.em.findOne(Clinic, { externalId }),
      () => new Clinic({ ...data, externalId }, this.clock.now()),
      (clinic) => this.watch(clinic, () => clinic.replace(data)),
    );
  }

  import(lines: readonly Line[]): Promise<ImportResult[]> {
    const zones = new ImportedZones(this.zoneChanges);
    return importRecords(this.em, lines, {
      schema: importClinicSchema,
      find: (externalIds) => this.em.find(Clinic, { externalId: { $in: externalIds } }, LOCKED),
      create: (data) => new Clinic(data, this.clock.now()),
      replace: (clinic, data) => zones.watch(clinic.id, clinic, () => clinic.replace(data)),
      settle: () => zones.announce(),
    });
  }

  list(query: RecordQuery): Promise<Page<ClinicView>> {
    return this.em.transactional(async (em) => {
      const { where, options } = sliceOf(query);
      return pageOfRecords(await em.find(Clinic, where, options), query, viewClinic);
    });
  }

  /** @throws NotFoundError */
  get(id: number): Promise<ClinicView> {
    return this.em.transactional(async () => viewClinic(await this.require(id)));
  }

  /** @throws NotFoundError */
  change(id: number, data: ChangeClinic): Promise<ClinicView> {
    return this.em.transactional(async () => {
      const clinic = await this.require(id);
      await this.watch(clinic, () => clinic.change(data));
      return viewClinic(clinic);
    });
  }

  /** @throws NotFoundError */
  deactivate(id: number): Promise<void> {
    return this.em.transactional(async () => (await this.require(id)).deactivate());
  }

  private watch(clinic: Clinic, change: () => void): Promise<void> {
    return this.zoneChanges.watch(clinic, { clinicId: clinic.id }, change);
  }

  private async require(id: number): Promise<Clinic> {
    const clinic = await this.em.findOne(Clinic, { id });
    if (clinic === null) throw new NotFoundError();
    return clinic;
  }
}
