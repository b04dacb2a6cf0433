import { Injectable } from '@nestjs/common';
import { EXPORT_PAGE_SIZE, type ExportedClient, type ExportPage } from '../shared/client-export/index.js';
import { TenantEntityManager, UNTRACKED } from '../shared/persistence/index.js';
import { CalendarLink } from './calendar-link.entity.js';
import { toExportedCalendarLink, type ExportedCalendarLink } from './dto/calendar-link.js';

/** Reads the calendar links of a Client, revoked ones included. */
@Injectable()
export class CalendarLinkExportSource {
  constructor(private readonly em: TenantEntityManager) {}

  async readLinks(
    { clinicId, clientId }: ExportedClient,
    after = 0,
  ): Promise<ExportPage<ExportedCalendarLink, number>> {
    const links = await this.em.find(
      CalendarLink,
      { clinicId, clientId, id: { $gt: after } },
      { ...UNTRACKED, orderBy: { id: 'asc' }, limit: EXPORT_PAGE_SIZE },
    );
    return {
      items: links.map(toExportedCalendarLink),
      next: links.length < EXPORT_PAGE_SIZE ? undefined : links.at(-1)!.id,
    };
  }
}
