import { z } from 'zod';
import { formatInstant } from '../../shared/persistence/index.js';
import { longId, pageSchema, requestMeta } from '../../shared/validation/index.js';
import type { CalendarLink } from '../calendar-link.entity.js';
import { TITLE_VISIBILITIES } from '../title-visibility.js';
import { EXAMPLE_LINK_SECRET } from './calendar.js';

/* Request and response bodies of calendar links. */

export const createCalendarLinkSchema = z
  .object({
    titles: z
      .enum(TITLE_VISIBILITIES, { error: `must be one of ${TITLE_VISIBILITIES.join(', ')}` })
      .nullish()
      .transform((titles) => titles ?? 'DISCREET')
      .meta({
        description:
          'DISCREET: every event is just called "Appointment", in the language of your `locale`. FULL: title and description of the Session. Absent: DISCREET.',
        example: 'DISCREET',
      }),
  })
  .meta({
    id: 'CreateCalendarLink',
    description: 'Which titles the calendar shows.',
    ...requestMeta(
      {},
      {
        discreet: { summary: 'Nothing but times', value: {} },
        full: { summary: 'With the titles of the Sessions', value: { titles: 'FULL' } },
      },
    ),
  });
export type CreateCalendarLink = z.output<typeof createCalendarLinkSchema>;

const expiresAt = z.string().meta({
  description: 'When the link stops working unless it is renewed.',
  example: '2027-11-22T09:00:00.000Z',
});

export const createdCalendarLinkSchema = z
  .object({
    id: longId('Id of the record.'),
    url: z.string().meta({
      description: 'The URL for the calendar program. Keep it secret: it is not shown again.',
      example: `https://care.example.org/calendar/${EXAMPLE_LINK_SECRET}.ics`,
    }),
    expiresAt,
  })
  .meta({ id: 'CreatedCalendarLink', description: 'A link to a calendar, with its new secret.' });
export type CreatedCalendarLink = z.output<typeof createdCalendarLinkSchema>;

export const calendarLinkSchema = z
  .object({
    id: longId('Id of the record.'),
    titles: z
      .enum(TITLE_VISIBILITIES)
      .meta({ description: 'The titles that the calendar shows.', example: 'DISCREET' }),
    createdAt: z.string().meta({ description: 'Creation time.', example: '2026-11-21T09:00:00.000Z' }),
    expiresAt,
  })
  .meta({ id: 'CalendarLink', description: 'A link to a calendar, without its secret.' });
export const exportedCalendarLinkSchema = calendarLinkSchema
  .extend({
    revokedAt: z.string().nullable().meta({ description: 'Time of the revocation, or null.', example: null }),
  })
  .meta({ id: 'ExportedCalendarLink', description: 'A link to a calendar.' });
export type ExportedCalendarLink = z.output<typeof exportedCalendarLinkSchema>;
export type CalendarLinkModel = z.output<typeof calendarLinkSchema>;
export const calendarLinkPageSchema = pageSchema(calendarLinkSchema, 'CalendarLinkPage');

export function toCalendarLinkModel({
  id,
  titles,
  createdAt,
  expiresAt: end,
}: Readonly<CalendarLink>): CalendarLinkModel {
  return { id, titles, createdAt: formatInstant(createdAt), expiresAt: formatInstant(end) };
}

export function toExportedCalendarLink(link: Readonly<CalendarLink>): ExportedCalendarLink {
  return { ...toCalendarLinkModel(link), revokedAt: link.revokedAt && formatInstant(link.revokedAt) };
}
