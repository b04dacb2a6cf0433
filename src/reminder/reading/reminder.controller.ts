import { Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, Caller, type ClinicPrincipal, type StaffPrincipal } from '../../shared/access/index.js';
import { Operation } from '../../shared/http/index.js';
import { idParam, type Page } from '../../shared/validation/index.js';
import {
  redrivenSchema,
  redriveQuery,
  reminderPageSchema,
  reminderQuery,
  reminderStorySchema,
  type RedriveQuery,
  type Redriven,
  type ReminderModel,
  type ReminderQuery,
  type ReminderStoryModel,
} from './reminder-model.dto.js';
import { ReminderReader } from './reminder.reader.js';

/** What has become of reminders, and why: the same for a Care Provider and for the Clinic. */
@ApiTags('Reminders')
abstract class ReminderController {
  constructor(protected readonly reader: ReminderReader) {}

  @Get()
  @Operation({
    summary: 'List reminders',
    description: 'In the order in which they are due. A Care Provider sees those of their Sessions.',
    success: { status: 200, description: 'One page, without their stories.', schema: reminderPageSchema },
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
    summary: 'Read a reminder with its whole story',
    description: 'By which rule it was planned, and all that has happened to it since.',
    success: { status: 200, description: 'The reminder.', schema: reminderStorySchema },
    errors: [400, 404],
    clientData: true,
  })
  getReminder(
    @Caller() caller: StaffPrincipal,
    @Param('id', { schema: idParam }) id: number,
  ): Promise<ReminderStoryModel> {
    return this.reader.get(caller, id);
  }
}

@Controller('/gateway/profile/caregiver/reminder')
@Access('CARE_PROVIDER')
export class CaregiverReminderController extends ReminderController {}

@Controller('/gateway/profile/clinic/reminder')
@Access('CLINIC')
export class ClinicReminderController extends ReminderController {
  @Post('redrive')
  @Operation({
    summary: 'Send all dead letters again',
    description:
      'Or all reminders that were skipped as too late, with `status=SKIPPED`. The oldest thousand of them; call again while it answers a thousand.',
    success: { status: 200, description: 'How many.', schema: redrivenSchema },
    errors: [400],
  })
  redriveAll(
    @Caller() caller: ClinicPrincipal,
    @Query({ schema: redriveQuery }) query: RedriveQuery,
  ): Promise<Redriven> {
    return this.reader.redriveAll(caller, query);
  }

  @Post(':id/redrive')
  @Operation({
    summary: 'Send a dead letter again',
    description: 'Or a reminder that was skipped as too late. It says that it is late; any other reminder is 409.',
    success: { status: 200, description: 'The reminder.', schema: reminderStorySchema },
    errors: [400, 404, 409],
    clientData: true,
  })
  redrive(
    @Caller() caller: ClinicPrincipal,
    @Param('id', { schema: idParam }) id: number,
  ): Promise<ReminderStoryModel> {
    return this.reader.redrive(caller, id);
  }
}
