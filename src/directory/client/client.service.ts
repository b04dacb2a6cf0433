import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import type { ClinicPrincipal } from '../../shared/access/index.js';
import { NotFoundError } from '../../shared/errors/index.js';
import type { Line } from '../../shared/http/index.js';
import { TenantEntityManager } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import type { Page } from '../../shared/validation/index.js';
import { ClientAssignment } from './client-assignment.entity.js';
import { Deactivations } from '../deactivations.js';
import { Directory } from '../directory.js';
import { importClientSchema, type ImportResult } from '../dto/imports.js';
import {
  viewClient,
  type ChangePerson,
  type ClientView,
  type CreatePerson,
  type PutPerson,
  type RecordQuery,
} from '../dto/records.js';
import { importRecords } from '../import/import-records.js';
import { ImportedZones } from '../import/imported-zones.js';
import { ImportedAssignments } from '../import/imported-assignments.js';
import { CareProvider, Client } from '../person.entity.js';
import { LOCKED, pageOfRecords, putRecord, refusingTakenExternalId, sliceOf, type PutResult } from '../records.js';
import { ZoneChanges } from '../clinic/zone-changes.js';

/** The Clients of a Clinic, and to which Care Providers they are assigned. */
@Injectable()
export class ClientService {
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
        const client = new Client(clinic.id, data, this.clock.now());
        await em.persist(client).flush();
        return client.id;
      }),
    );
  }

  put(caller: ClinicPrincipal, externalId: string, data: PutPerson): Promise<PutResult> {
    const { clinicId } = caller;
    return putRecord(
      this.em,
      async () => {
        await this.directory.requireClinic(caller);
        return this.em.findOne(Client, { clinicId, externalId }, LOCKED);
      },
      () => new Client(clinicId, { ...data, externalId }, this.clock.now()),
      (client) => this.departures.watch(client, () => client.replace(data)),
    );
  }

  import(caller: ClinicPrincipal, lines: readonly Line[]): Promise<ImportResult[]> {
    const { clinicId } = caller;
    const assignments = new ImportedAssignments(this.em, clinicId, this.clock.now());
    const zones = new ImportedZones(this.zoneChanges);
    return importRecords(this.em, lines, {
      schema: importClientSchema,
      refuse: (records) => assignments.refuse(records),
      find: async (externalIds) => {
        await this.directory.requireClinic(caller);
        return this.em.find(Client, { clinicId, externalId: { $in: externalIds } }, LOCKED);
      },
      create: (data) => new Client(clinicId, data, this.clock.now()),
      replace: (client, data) => zones.watch(clinicId, client, () => client.replace(data)),
      settle: async (entries) => {
        await zones.announce();
        await assignments.replace(entries);
        for (const { row, left } of entries) if (left) await this.departures.announceLeft(row);
      },
    });
  }

  list(caller: ClinicPrincipal, query: RecordQuery): Promise<Page<ClientView>> {
    return this.em.transactional(async (em) => {
      const clinic = await this.directory.requireClinic(caller);
      const { where, options } = sliceOf(query);
      const clients = await em.find(Client, { ...where, clinicId: clinic.id }, options);
      const assigned = await this.careProvidersOf(clinic.id, clients);
      return pageOfRecords(clients, query, (client) => viewClient(client, assigned.get(client.id) ?? []));
    });
  }

  /** @throws NotFoundError */
  get(caller: ClinicPrincipal, id: number): Promise<ClientView> {
    return this.em.transactional(async () => this.view(await this.require(caller, id)));
  }

  /** @throws NotFoundError */
  change(caller: ClinicPrincipal, id: number, data: ChangePerson): Promise<ClientView> {
    return this.em.transactional(async () => {
      const client = await this.requireLocked(caller, id);
      await this.departures.watch(client, () => client.change(data));
      return this.view(client);
    });
  }

  /** @throws NotFoundError */
  deactivate(caller: ClinicPrincipal, id: number): Promise<void> {
    return this.em.transactional(async () => {
      const client = await this.requireLocked(caller, id);
      await this.departures.watch(client, () => client.deactivate());
    });
  }

  /**
   * Assigns a Client to a Care Provider; again changes nothing.
   *
   * @throws NotFoundError when either is not an active record of the caller's Clinic
   */
  assign(caller: ClinicPrincipal, id: number, careProviderId: number): Promise<void> {
    return this.em.transactional(async (em) => {
      const clinic = await this.directory.requireClinic(caller);
      // First the Care Provider, then the Client, as an import locks them: nobody waits in a circle.
      const careProvider = await em.findOne(
        CareProvider,
        { clinicId: clinic.id, id: careProviderId, active: true },
        { lockMode: LockMode.PESSIMISTIC_READ },
      );
      const client = await this.requireLocked(caller, id);
      if (!client.active || careProvider === null) throw new NotFoundError();
      const assignment = new ClientAssignment(client.clinicId, id, careProviderId, this.clock.now());
      await em.upsert(ClientAssignment, assignment, { onConflictAction: 'ignore' });
    });
  }

  /**
   * Ends an assignment; again changes nothing. Sessions that exist stay.
   *
   * @throws NotFoundError when either is not of the caller's Clinic; a deactivated record is
   */
  unassign(caller: ClinicPrincipal, id: number, careProviderId: number): Promise<void> {
    return this.em.transactional(async (em) => {
      const client = await this.requireLocked(caller, id);
      if ((await em.count(CareProvider, { clinicId: client.clinicId, id: careProviderId })) === 0)
        throw new NotFoundError();
      await em.nativeDelete(ClientAssignment, { clinicId: client.clinicId, clientId: id, careProviderId });
    });
  }

  private async view(client: Client): Promise<ClientView> {
    return viewClient(client, (await this.careProvidersOf(client.clinicId, [client])).get(client.id) ?? []);
  }

  private async careProvidersOf(clinicId: number, clients: readonly Client[]): Promise<Map<number, number[]>> {
    const clientId = { $in: clients.map((client) => client.id) };
    const assignments = await this.em.find(
      ClientAssignment,
      { clinicId, clientId },
      { orderBy: { careProviderId: 'asc' } },
    );
    const byClient = Map.groupBy(assignments, (assignment) => assignment.clientId);
    return new Map([...byClient].map(([id, list]) => [id, list.map((assignment) => assignment.careProviderId)]));
  }

  /** Locked, so that of two who change the Client at once one comes after the other. */
  private requireLocked(caller: ClinicPrincipal, id: number): Promise<Client> {
    return this.require(caller, id, LOCKED);
  }

  private async require(caller: ClinicPrincipal, id: number, options: Partial<typeof LOCKED> = {}) {
    const clinic = await this.directory.requireClinic(caller);
    const client = await this.em.findOne(Client, { clinicId: clinic.id, id }, options);
    if (client === null) throw new NotFoundError();
    return client;
  }
}
