import { Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, Caller, type ClinicPrincipal, type StaffPrincipal } from '../../shared/access/index.js';
import { Operation } from '../../shared/http/index.js';
import { idParam, type Page } from '../../shared/validation/index.js';
import {
  redriveResultSchema,
  redriveQuery,
  reminderPageSchema,
  reminderQuery,
  reminderReadQuery,
  reminderWithHistorySchema,
  type RedriveQuery,
  type RedriveResult,
  type ReminderModel,
  type ReminderQuery,
  type ReminderReadQuery,
  type ReminderWithHistoryModel,
} from './reminder-model.dto.js';
import { ReminderReader } from './reminder.reader.js';

/** Shows reminders and their history to Care Providers and Clinics. */
@ApiTags('Reminders')
abstract class ReminderController {
  constructor(protected readonly reader: ReminderReader) {}

  @Get()
  @Operation({
    summary: 'List reminders',
    success: {
      status: 200,
      description: 'One page of reminders, without their history. For a Care Provider, those of their own Sessions.',
      schema: reminderPageSchema,
    },
    mayBeStale: true,
    errors: [400],
    clientData: true,
  })
  listReminders(
    @Caller() caller: StaffPrincipal,
    @Query({ schema: reminderQuery }) query: ReminderQuery,
  ): Promise<Page<ReminderModel>> {
    return this.reader.list(caller, query);
  }

  @Get(':id')
  @Operation({
    summary: 'Read a reminder with its history',
    success: { status: 200, description: 'The reminder.', schema: reminderWithHistorySchema },
    errors: [400, 404],
    clientData: true,
  })
  getReminder(
    @Caller() caller: StaffPrincipal,
    @Param('id', { schema: idParam }) id: number,
    @Query({ schema: reminderReadQuery }) query: ReminderReadQuery,
  ): Promise<ReminderWithHistoryModel> {
    return this.reader.get(caller, id, query);
  }
}

@Controller('/gateway/profile/caregiver/reminder')
@Access('CARE_PROVIDER')
export class CareProviderReminderController extends ReminderController {}

@Controller('/gateway/profile/clinic/reminder')
@Access('CLINIC')
export class ClinicReminderController extends ReminderController {
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
    return this.reader.redriveAll(caller, query);
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
    return this.reader.redrive(caller, id);
  }
}
