import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, Caller, type StaffPrincipal } from '../../shared/access/index.js';
import { Operation } from '../../shared/http/index.js';
import { idParam, type Page } from '../../shared/validation/index.js';
import {
  reminderPageSchema,
  reminderQuery,
  reminderReadQuery,
  reminderWithHistorySchema,
  type ReminderModel,
  type ReminderQuery,
  type ReminderReadQuery,
  type ReminderWithHistoryModel,
} from './reminder-model.dto.js';
import { ReminderReader } from './reminder.reader.js';

/** Shows reminders and their history to Care Providers and Clinics. */
@ApiTags('Reminders')
abstract class ReminderController {
  constructor(private readonly reader: ReminderReader) {}

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
export class ClinicReminderController extends ReminderController {}
