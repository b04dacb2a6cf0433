import { Controller, Get, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, Caller, type ClinicPrincipal } from '../../shared/access/index.js';
import { Operation } from '../../shared/http/index.js';
import { idParam } from '../../shared/validation/index.js';
import { MessagePreview } from './message-preview.js';
import { reminderMessageSchema, type ReminderMessageModel } from './reminder-message.dto.js';

/** Shows a Clinic the text of its reminders' messages. */
@ApiTags('Reminders')
@Controller('/gateway/profile/clinic/reminder')
@Access('CLINIC')
export class ReminderMessageController {
  constructor(private readonly preview: MessagePreview) {}

  @Get(':id/message')
  @Operation({
    summary: 'Read the message of a reminder',
    description:
      'As each channel would send it, or has sent it, without names and without the secret of the opt-out link. A sent ' +
      'message has the times that it had, in the language and time zone stored now. 409 if the recipient is deactivated.',
    success: { status: 200, description: 'The message.', schema: reminderMessageSchema },
    errors: [400, 404, 409],
    clientData: true,
  })
  getReminderMessage(
    @Caller() caller: ClinicPrincipal,
    @Param('id', { schema: idParam }) id: number,
  ): Promise<ReminderMessageModel> {
    return this.preview.get(caller, id);
  }
}
