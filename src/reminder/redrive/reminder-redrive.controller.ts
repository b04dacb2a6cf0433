import { Controller, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, Caller, type ClinicPrincipal } from '../../shared/access/index.js';
import { Operation } from '../../shared/http/index.js';
import { idParam } from '../../shared/validation/index.js';
import { reminderWithHistorySchema, type ReminderWithHistoryModel } from '../reading/reminder-model.dto.js';
import { redriveQuery, redriveResultSchema, type RedriveQuery, type RedriveResult } from './redrive.dto.js';
import { ReminderRedriveService } from './reminder-redrive.service.js';

/** Lets a Clinic redrive reminders. */
@ApiTags('Reminders')
@Controller('/gateway/profile/clinic/reminder')
@Access('CLINIC')
export class ReminderRedriveController {
  constructor(private readonly service: ReminderRedriveService) {}

  @Post('redrive')
  @Operation({
    summary: 'Send all dead letters again',
    description:
      'With `status=SKIPPED`: all reminders that were skipped because they were too late. One call sends the oldest 1,000; repeat the call while the result is 1,000.',
    success: { status: 200, description: 'The number of reminders that are sent again.', schema: redriveResultSchema },
    errors: [400],
  })
  redriveReminders(
    @Caller() caller: ClinicPrincipal,
    @Query({ schema: redriveQuery }) query: RedriveQuery,
  ): Promise<RedriveResult> {
    return this.service.redriveAll(caller, query);
  }

  @Post(':id/redrive')
  @Operation({
    summary: 'Send a dead letter again',
    description:
      'Also sends a reminder that was skipped because it was too late. The message says that it is late. 409 for any other reminder.',
    success: { status: 200, description: 'The reminder.', schema: reminderWithHistorySchema },
    errors: [400, 404, 409],
    representation: 'default',
    clientData: true,
  })
  redriveReminder(
    @Caller() caller: ClinicPrincipal,
    @Param('id', { schema: idParam }) id: number,
  ): Promise<ReminderWithHistoryModel> {
    return this.service.redrive(caller, id);
  }
}
