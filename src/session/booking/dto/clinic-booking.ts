import { z } from 'zod';
import { longId, optionalTitle, requestMeta } from '../../../shared/validation/index.js';
import { applyPlanFieldSchemas, isWeekRangeOrdered, WEEK_ORDER_ISSUE } from './apply-plan.js';
import { hasTitle, sessionFieldSchemas, TITLE_ISSUE } from './create-sessions.js';

/* Request bodies with which a Clinic creates Sessions for its Care Providers. */

const participants = {
  clientId: longId('The Client, who is assigned to the Care Provider.', 1),
  caregiverId: longId('The Care Provider.', 1),
};

const { id: _, clinicId: __, ...fields } = sessionFieldSchemas;

export const createSessionsAsClinicSchema = z
  .object({
    ...fields,
    ...participants,
    title: optionalTitle(200).meta({
      description: 'Title. Optional if the Design Plan gives one.',
      example: 'First appointment',
    }),
  })
  .refine(hasTitle, TITLE_ISSUE)
  .meta({
    id: 'CreateClinicSessions',
    description: 'New Sessions of one series.',
    ...requestMeta(
      {},
      {
        series: {
          summary: 'A series of four Sessions with homework and reminders',
          value: {
            caregiverId: 1,
            clientId: 1,
            title: 'Sleep session',
            date: '2027/03/22',
            time: '09:30',
            sessionCount: 4,
            bookIdList: [1, 2],
            reminders: ['-P1D'],
          },
        },
        smallest: {
          summary: 'One Session, no homework',
          value: { caregiverId: 1, clientId: 2, date: '2027/03/22', time: '14:00', title: 'First appointment' },
        },
      },
    ),
  });
export type CreateSessionsAsClinic = z.output<typeof createSessionsAsClinicSchema>;

export const applyPlanAsClinicSchema = z
  .object({ ...applyPlanFieldSchemas, ...participants })
  .refine(isWeekRangeOrdered, WEEK_ORDER_ISSUE)
  .meta({
    id: 'ApplyClinicPlan',
    description: 'How a Design Plan is applied to a Client.',
    ...requestMeta(
      {},
      {
        weekly: {
          summary: 'Every week from the 22nd of March',
          value: { caregiverId: 1, clientId: 1, date: '2027/03/22', time: '09:30', reminders: ['-P1D'] },
        },
      },
    ),
  });
export type ApplyPlanAsClinic = z.output<typeof applyPlanAsClinicSchema>;
