import { z } from 'zod';
import { clientAuditEntrySchema } from '../../audit/index.js';
import { exportedCalendarLinkSchema } from '../../calendar/index.js';
import { exportedPlanRevisionSchema } from '../../design-plan/index.js';
import { clientSchema, clinicSchema, exportedAssignmentSchema } from '../../directory/index.js';
import { preferenceSchema, reminderWithHistorySchema } from '../../reminder/index.js';
import { exportedSeriesSchema, sessionSchema } from '../../session/index.js';

/* The export of a Client. Its items have the same form as in the responses of other operations. */

/** The sections that contain one object. They precede the sections with lists. */
export const SINGLE_OBJECT_SECTIONS = {
  clinic: clinicSchema,
  client: clientSchema,
  preference: preferenceSchema,
} as const;

/** The sections that contain lists, in the order in which the export contains them. */
export const LIST_SECTIONS = {
  assignments: exportedAssignmentSchema,
  calendarLinks: exportedCalendarLinkSchema,
  designPlans: exportedPlanRevisionSchema,
  series: exportedSeriesSchema,
  sessions: sessionSchema,
  reminders: reminderWithHistorySchema,
  audit: clientAuditEntrySchema,
} as const;

export type SingleObjectSectionName = keyof typeof SINGLE_OBJECT_SECTIONS;
export type ListSectionName = keyof typeof LIST_SECTIONS;

export const clientExportSchema = z
  .object({
    exportedAt: z.string().meta({ description: 'Start of the export.', example: '2027-03-21T09:30:00.000Z' }),
    ...SINGLE_OBJECT_SECTIONS,
    assignments: z.array(exportedAssignmentSchema).meta({ description: 'The Care Providers of the Client.' }),
    calendarLinks: z.array(exportedCalendarLinkSchema).meta({ description: 'Calendar links.' }),
    designPlans: z.array(exportedPlanRevisionSchema).meta({ description: 'Applied Design Plans.' }),
    series: z.array(exportedSeriesSchema).meta({ description: 'Series.' }),
    sessions: z.array(sessionSchema).meta({ description: 'Sessions in all states, with homework.' }),
    reminders: z.array(reminderWithHistorySchema).meta({ description: 'Reminders to the Client.' }),
    audit: z.array(clientAuditEntrySchema).meta({ description: 'Requests that concern the Client.' }),
    isComplete: z.literal(true).meta({ description: 'Absent if the export is incomplete.', example: true }),
  })
  .meta({ id: 'ClientExport', description: 'The data about one Client, with the audit entries about it.' });
export type ClientExport = z.output<typeof clientExportSchema>;

/** The part of an export that is known when it begins. */
export type ExportHeader = Pick<ClientExport, 'exportedAt' | SingleObjectSectionName>;

/** Some of the items of a section with a list. Each section has at least one batch, which may be empty. */
export type ExportBatch = {
  [Section in ListSectionName]: { section: Section; items: ClientExport[Section] };
}[ListSectionName];
