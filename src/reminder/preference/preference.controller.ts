import { Body, Controller, Get, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  Access,
  Caller,
  type CareProviderPrincipal,
  type ClientPrincipal,
  type ClinicPrincipal,
} from '../../shared/access/index.js';
import { Operation } from '../../shared/http/index.js';
import {
  preferenceSchema,
  putClinicPreferenceSchema,
  putPreferenceSchema,
  type PreferenceModel,
  type PutPreference,
} from './preference.dto.js';
import { PreferenceService } from './preference.service.js';

@ApiTags('Reminders')
@Controller('/gateway/profile/client/reminder-preference')
@Access('CLIENT')
export class ClientPreferenceController {
  constructor(private readonly service: PreferenceService) {}

  @Get()
  @ReadPreference('Read your reminder preference', { clientData: true })
  getReminderPreference(@Caller() caller: ClientPrincipal): Promise<PreferenceModel> {
    return this.service.get(caller);
  }

  @Put()
  @WritePreference('Set your reminder preference', { clientData: true })
  putReminderPreference(
    @Caller() caller: ClientPrincipal,
    @Body({ schema: putPreferenceSchema }) body: PutPreference,
  ): Promise<PreferenceModel> {
    return this.service.put(caller, body);
  }
}

@ApiTags('Reminders')
@Controller('/gateway/profile/caregiver/reminder-preference')
@Access('CARE_PROVIDER')
export class CareProviderPreferenceController {
  constructor(private readonly service: PreferenceService) {}

  @Get()
  @ReadPreference('Read your reminder preference')
  getReminderPreference(@Caller() caller: CareProviderPrincipal): Promise<PreferenceModel> {
    return this.service.get(caller);
  }

  @Put()
  @WritePreference('Set your reminder preference')
  putReminderPreference(
    @Caller() caller: CareProviderPrincipal,
    @Body({ schema: putPreferenceSchema }) body: PutPreference,
  ): Promise<PreferenceModel> {
    return this.service.put(caller, body);
  }
}

@ApiTags('Reminders')
@Controller('/gateway/profile/clinic/reminder-preference')
@Access('CLINIC')
export class ClinicPreferenceController {
  constructor(private readonly service: PreferenceService) {}

  @Get()
  @ReadPreference("Read the Clinic's reminder defaults")
  getReminderPreference(@Caller() caller: ClinicPrincipal): Promise<PreferenceModel> {
    return this.service.get(caller);
  }

  @Put()
  @WritePreference("Set the Clinic's reminder defaults")
  putReminderPreference(
    @Caller() caller: ClinicPrincipal,
    @Body({ schema: putClinicPreferenceSchema }) body: PutPreference,
  ): Promise<PreferenceModel> {
    return this.service.put(caller, body);
  }
}

function ReadPreference(summary: string, { clientData = false } = {}) {
  return Operation({
    summary,
    success: { status: 200, description: 'The chosen values, and the values that apply.', schema: preferenceSchema },
    clientData,
  });
}

function WritePreference(summary: string, { clientData = false } = {}) {
  return Operation({
    summary,
    success: { status: 200, description: 'The chosen values, and the values that apply.', schema: preferenceSchema },
    errors: [400, 413, 415],
    representation: 'default',
    clientData,
  });
}
