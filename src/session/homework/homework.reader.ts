import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { z } from 'zod';
import {
  chooseTimeZone,
  Directory,
  TimeZoneReader,
  toPersonKey,
  type Client,
  type Clinic,
} from '../../directory/index.js';
import type { ClientPrincipal, ClinicPrincipal } from '../../shared/access/index.js';
import { countRows, formatInstant, TenantEntityManager } from '../../shared/persistence/index.js';
import {
  countItemsIfRequested,
  cursorInstantSchema,
  parseCursor,
  toPage,
  toSyncPage,
  type SyncChanges,
  type SyncPage,
  type SyncPass,
} from '../../shared/validation/index.js';
import type { ClientHomework, ClinicHomework, ClinicHomeworkQuery, HomeworkQuery } from './dto/homework-model.js';
import type { Homework } from '../domain/homework.entity.js';
import { findListedHomework, homeworkListClausesSql, type HomeworkScope } from './homework-list.sql.js';
import { HomeworkModelsLoader, type LoadedHomework } from './homework-models.loader.js';
import { HomeworkSyncReader, parseHomeworkSyncKey, toHomeworkSyncKey } from './homework-sync.reader.js';

/** The calling Client, and the Client's Clinic. */
export type ClientWithClinic = { client: Client; clinic: Clinic };

type Zones = ReadonlyMap<number, string>;
/** A list of homework, and how its items are converted to response models. */
type HomeworkList<Item> = {
  scope: HomeworkScope;
  findZones: (clientIds: readonly number[]) => Zones | Promise<Zones>;
  toItem: (loaded: LoadedHomework) => Item;
};

const homeworkKey = z.tuple([cursorInstantSchema, z.int()]);

/** Reads the homework of the calling Client, or of the Clients of the calling Clinic. */
@Injectable()
export class HomeworkReader {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly directory: Directory,
    private readonly zones: TimeZoneReader,
    private readonly models: HomeworkModelsLoader,
    private readonly sync: HomeworkSyncReader,
  ) {}

  /**
   * Returns the Client's homework from Sessions that are not cancelled, sorted by Session start. For a synchronisation,
   * returns the changes in this list.
   */
  listOwnHomework(caller: ClientPrincipal, query: HomeworkQuery): Promise<SyncPage<ClientHomework>> {
    return this.list(caller, query, async () => {
      const { client, clinic } = await this.directory.requireClient(caller);
      const findZones = () => toClientZones(client, clinic);
      return { scope: { clinicId: clinic.id, ownerId: client.id }, findZones, toItem: ({ model }) => model };
    });
  }

  /** Returns the homework of the Clinic's Clients or, for a synchronisation, the changes in this list. */
  listHomework(caller: ClinicPrincipal, query: ClinicHomeworkQuery): Promise<SyncPage<ClinicHomework>> {
    return this.list(caller, query, async () => {
      const { id: clinicId } = await this.directory.requireClinic(caller);
      return {
        scope: { clinicId },
        findZones: (clientIds) => this.findZones(clinicId, clientIds),
        toItem: ({ model, session: { clientId, caregiverId } }) => ({ ...model, clientId, caregiverId }),
      };
    });
  }

  /** Converts one homework item of a Client to its model, within the caller's transaction. */
  async toClientHomework({ client, clinic }: ClientWithClinic, homework: Homework): Promise<ClientHomework> {
    const loaded = await this.models.load(clinic.id, [homework], { findZones: () => toClientZones(client, clinic) });
    return loaded.get(homework.id)!.model;
  }

  private list<Item extends ClientHomework>(
    caller: ClientPrincipal | ClinicPrincipal,
    query: HomeworkQuery,
    openList: () => Promise<HomeworkList<Item>>,
  ): Promise<SyncPage<Item>> {
    return this.em.transactional(async () => {
      const pass = this.sync.openPass(caller, query);
      const list = await openList();
      if (pass !== undefined) return this.readPass(list, query, pass);
      const after = parseCursor(query.cursor, homeworkKey, query.sort);
      const rows = await findListedHomework(this.em, list.scope, query, after);
      const items = await this.toItems(list, query, rows);
      const page = toPage(
        rows,
        query.limit,
        ({ startsAt, id }) => [formatInstant(startsAt), id],
        ({ id }) => items.get(id)!,
        query.sort,
      );
      const listed = homeworkListClausesSql(list.scope, query);
      return {
        ...page,
        ...(await countItemsIfRequested(query.count, (maximum) => countRows(this.em, listed, maximum))),
      };
    });
  }

  private async readPass<Item extends ClientHomework>(
    list: HomeworkList<Item>,
    query: HomeworkQuery,
    pass: SyncPass<string>,
  ): Promise<SyncPage<Item>> {
    if (pass.since === undefined) return this.readWhole(list, query, pass);
    const changes = await this.sync.findChanges(list.scope, query, pass);
    const ids = changes.changed.map(({ id }) => id);
    const { rows } = await sql<{ id: string }>`
      select h.id ${homeworkListClausesSql(list.scope, query)} and h.id = any(${ids}::bigint[])`.execute(
      this.em.getKysely(),
    );
    const listed = rows.map(({ id }) => ({ id: Number(id) }));
    return toSyncPage(pass, changes, await this.toItems(list, query, listed));
  }

  /**
   * Reads the whole list, for a synchronisation without a token. Changes that are made meanwhile are returned by the
   * next synchronisation.
   */
  private async readWhole<Item extends ClientHomework>(
    list: HomeworkList<Item>,
    query: HomeworkQuery,
    pass: SyncPass<string>,
  ): Promise<SyncPage<Item>> {
    const { after } = pass;
    const rows = await findListedHomework(
      this.em,
      list.scope,
      query,
      after && [after.at, parseHomeworkSyncKey(after.id).id],
    );
    const items = await this.toItems(list, query, rows);
    const shown = rows.slice(0, query.limit);
    const last = rows.length > query.limit ? shown.at(-1) : undefined;
    const changes: SyncChanges<number, string> = {
      changed: shown.map(({ id }) => ({ id, version: items.get(id)!.version })),
      next: last && { at: last.startsAt, id: toHomeworkSyncKey(last) },
    };
    return toSyncPage(pass, changes, items);
  }

  private async toItems<Item>(
    { scope, findZones, toItem }: HomeworkList<Item>,
    { include }: HomeworkQuery,
    rows: readonly { id: number }[],
  ): Promise<Map<number, Item>> {
    const ids = rows.map(({ id }) => id);
    const loaded = await this.models.loadByIds(scope.clinicId, ids, { include, findZones });
    return new Map([...loaded].map(([id, one]) => [id, toItem(one)]));
  }

  private async findZones(clinicId: number, clientIds: readonly number[]): Promise<Zones> {
    const clients = clientIds.map((id) => ({ kind: 'CLIENT', id }) as const);
    const zones = await this.zones.findTimeZones(clinicId, clients);
    return new Map(clients.map((client) => [client.id, zones.get(toPersonKey(client))!]));
  }
}

function toClientZones(client: Client, clinic: Clinic): Zones {
  return new Map([[client.id, chooseTimeZone(client, clinic)]]);
}
