import { z } from 'zod';
import { TITLE_VISIBILITIES } from '../title-visibility.js';

/* Parameters and response of the calendar operations. */

export const EXAMPLE_LINK_SECRET = '3q2-7wEjRWeJq83vASNFZ4mrze8BI0VniavN7wEjRWc';

/** The format is not validated, because an unknown secret returns 404 whatever its format. */
export const linkSecretParam = z
  .string()
  .meta({ description: 'The secret of the link.', example: EXAMPLE_LINK_SECRET });

export const titleVisibilityQuery = z.object({
  titles: z
    .enum(TITLE_VISIBILITIES, { error: `must be one of ${TITLE_VISIBILITIES.join(', ')}` })
    .default('DISCREET')
    .meta({
      description:
        'DISCREET: the event is just called "Appointment", in the language of your `locale`. FULL: with title and description.',
      example: 'DISCREET',
    }),
});
export type TitleVisibilityQuery = z.output<typeof titleVisibilityQuery>;

export const calendarSchema = z.string().meta({
  id: 'Calendar',
  description: 'iCalendar (RFC 5545).',
  example: [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Scheduling//Calendar//EN',
    'METHOD:PUBLISH',
    'BEGIN:VEVENT',
    'UID:session-11@care.example.org',
    'SEQUENCE:0',
    'DTSTAMP:20261121T090000Z',
    'DTSTART:20270328T083000Z',
    'DTEND:20270328T092000Z',
    'SUMMARY:Appointment',
    'STATUS:CONFIRMED',
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ].join('\r\n'),
});
