// eslint-disable-next-line no-restricted-imports -- Begins transactions for the caller and contains no query itself.
import { EntityManager } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { ClientAuditSource, type ExportedAuditEntrySortKey } from '../audit/index.js';
import { CalendarLinkExportSource } from '../calendar/index.js';
import { DesignPlanExportSource } from '../design-plan/index.js';
import { DirectoryExportSource } from '../directory/index.js';
import { CallerConcurrency } from '../limits/index.js';
import { ReminderExportSource } from '../reminder/index.js';
import { SessionExportSource } from '../session/index.js';
import type { ClientPrincipal, ClinicPrincipal } from '../shared/access/index.js';
import { ConflictError } from '../shared/errors/index.js';
import type { ExportedClient, ExportPage } from '../shared/client-export/index.js';
import { RequestTransaction } from '../shared/persistence/index.js';
import type { ClientExport, ExportBatch, ListSectionName } from './dto/client-export.js';

type Caller = ClinicPrincipal | ClientPrincipal;
/** Reads the page that follows a key, or the first page if there is no key. */
type ReadPage<Item> = (after: never) => Promise<ExportPage<Item, unknown>>;
type Readers = { [Section in ListSectionName]: ReadPage<ClientExport[Section][number]> };

/** Reads the sections of an export page by page. */
@Injectable()
export class ClientExportReader {
  constructor(
    private readonly em: EntityManager,
    private readonly directory: DirectoryExportSource,
    private readonly calendar: CalendarLinkExportSource,
    private readonly plans: DesignPlanExportSource,
    private readonly sessions: SessionExportSource,
    private readonly reminders: ReminderExportSource,
    private readonly audit: ClientAuditSource,
    private readonly concurrency: CallerConcurrency,
  ) {}

  /**
   * Reads each page in a short transaction with the caller's rights, so a slow reader does not occupy a database
   * connection. The export is therefore not a single snapshot. Still, no record is missing or repeated: the order of the
   * pages does not change, and the export ends with an error if records were removed meanwhile.
   *
   * @param findState returns a text that differs if records were removed. It is called in a transaction of its own
   * @throws ConflictError if the state is not the one at the beginning
   */
  async *readBatches(
    caller: Caller,
    client: ExportedClient,
    end: ExportedAuditEntrySortKey | undefined,
    { state, findState }: { state: string; findState: () => Promise<string> },
  ): AsyncGenerator<ExportBatch> {
    for (const [section, readPage] of Object.entries(this.createReaders(client, end))) {
      for (let after: unknown; ;) {
        const { items, next } = await this.runAs<ExportPage<object, unknown>>(caller, () => readPage(after as never));
        yield { section, items } as ExportBatch;
        if (next === undefined) break;
        after = next;
      }
    }
    if ((await this.runAs(caller, findState)) !== state)
      throw new ConflictError('Records of the Client were removed during the export. Repeat it.');
  }

  /**
   * Creates the functions that read the sections. They are listed in the order in which the export contains the
   * sections.
   */
  private createReaders(client: ExportedClient, end: ExportedAuditEntrySortKey | undefined): Readers {
    return {
      assignments: (after) => this.directory.readAssignments(client, after),
      calendarLinks: (after) => this.calendar.readLinks(client, after),
      designPlans: (after) => this.readPlans(client, after),
      series: (after) => this.sessions.readSeries(client, after),
      sessions: (after) => this.sessions.readSessions(client, after),
      reminders: (after) => this.reminders.readReminders(client, after),
      audit: (after) => this.audit.readEntries(client, end, after),
    };
  }

  private async readPlans(
    client: ExportedClient,
    after: never,
  ): Promise<ExportPage<ClientExport['designPlans'][number], unknown>> {
    const { items: applied, next } = await this.sessions.findAppliedPlans(client, after);
    const items: ClientExport['designPlans'] = [];
    for (const { designPlanId, revision } of applied)
      items.push(await this.plans.readPlan(client.clinicId, designPlanId, revision));
    return { items, next };
  }

  /** Runs work in a transaction with the caller's rights. The services that it calls join this transaction. */
  private runAs<Result>(actor: Caller, work: () => Promise<Result>): Promise<Result> {
    const run = () => RequestTransaction.run(this.em, { actor, isRead: true }, () => this.em.transactional(work));
    return this.concurrency.run(actor, run);
  }
}
