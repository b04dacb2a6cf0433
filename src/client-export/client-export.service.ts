import { Injectable } from '@nestjs/common';
import { Readable } from 'node:stream';
import { ClientAuditSource, type ExportedAuditEntrySortKey } from '../audit/index.js';
import { chooseTimeZone, DirectoryExportSource, type ClientExportHeader } from '../directory/index.js';
import { PreferenceService } from '../reminder/index.js';
import { SessionExportSource } from '../session/index.js';
import type { ClientPrincipal, ClinicPrincipal } from '../shared/access/index.js';
import { setRecordReferences } from '../shared/audit-records/index.js';
import { formatInstant, TenantEntityManager } from '../shared/persistence/index.js';
import { Clock } from '../shared/time/index.js';
import { ClientExportReader } from './client-export.reader.js';
import type { ExportHeader } from './dto/client-export.js';
import { writeExport, type ExportMediaType } from './format/formats.js';

type Caller = ClinicPrincipal | ClientPrincipal;

/** Exports the data about one Client. */
@Injectable()
export class ClientExportService {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly directory: DirectoryExportSource,
    private readonly preferences: PreferenceService,
    private readonly sessions: SessionExportSource,
    private readonly audit: ClientAuditSource,
    private readonly reader: ClientExportReader,
    private readonly clock: Clock,
  ) {}

  /**
   * Exports a Client of the calling Clinic, even if the Client is deactivated.
   *
   * @throws NotFoundError if the Clinic has no such Client
   */
  exportForClinic(caller: ClinicPrincipal, id: number, type: ExportMediaType): Promise<Readable> {
    return this.em.transactional(() => this.open(caller, type, () => this.directory.requireClient(caller, id)));
  }

  /** Exports the data of the calling Client. */
  exportForClient(caller: ClientPrincipal, type: ExportMediaType): Promise<Readable> {
    return this.em.transactional(() => this.open(caller, type, () => this.directory.requireClient(caller)));
  }

  /**
   * Reads the first sections and the end of the audit trail in the transaction of the request. The other sections are
   * read afterwards, as fast as the caller reads the stream.
   */
  private async open(
    caller: Caller,
    type: ExportMediaType,
    findClient: () => Promise<ClientExportHeader>,
  ): Promise<Readable> {
    const { clinic, client } = await findClient();
    const exported = { clinicId: clinic.id, clientId: client.id };
    const describe = async ({ erasedAt }: ClientExportHeader['client']) =>
      `${erasedAt} ${await this.sessions.findState(exported)}`;
    const changes = {
      state: await describe(client),
      findState: async () => describe((await findClient()).client),
    };
    const zone = chooseTimeZone(client, clinic);
    const preference = await this.preferences.getOfClient(clinic.id, client.id, zone);
    const exportedAt = formatInstant(this.clock.now());
    const header: ExportHeader = { exportedAt, clinic, client, preference };
    const end: ExportedAuditEntrySortKey | undefined = await this.audit.findNewestKey(clinic.id);
    const batches = this.reader.readBatches(caller, exported, end, changes);
    const stream = Readable.from(writeExport(type, header, batches), { objectMode: false });
    return setRecordReferences(stream, { clientId: client.id });
  }
}
