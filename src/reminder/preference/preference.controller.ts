import { Body, Controller, Get, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  Caller,
  type CareProviderPrincipal,
  type ClientPrincipal,
  type ClinicPrincipal,
  type Role,
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
export class ClientPreferenceController {
  constructor(private readonly service: PreferenceService) {}

  @Get()
  @ReadPreference('CLIENT')
  getClientPreference(@Caller() caller: ClientPrincipal): Promise<PreferenceModel> {
    return this.service.get(caller);
  }

  @Put()
  @WritePreference('CLIENT')
  putClientPreference(
    @Caller() caller: ClientPrincipal,
    @Body({ schema: putPreferenceSchema }) body: PutPreference,
  ): Promise<PreferenceModel> {
    return this.service.put(caller, body);
  }
}

@ApiTags('Reminders')
@Controller('/gateway/profile/caregiver/reminder-preference')
export class CareProviderPreferenceController {
  constructor(private readonly service: PreferenceService) {}

  @Get()
  @ReadPreference('CARE_PROVIDER')
  getCareProviderPreference(@Caller() caller: CareProviderPrincipal): Promise<PreferenceModel> {
    return this.service.get(caller);
  }

  @Put()
  @WritePreference('CARE_PROVIDER')
  putCareProviderPreference(
    @Caller() caller: CareProviderPrincipal,
    @Body({ schema: putPreferenceSchema }) body: PutPreference,
  ): Promise<PreferenceModel> {
    return this.service.put(caller, body);
  }
}

@ApiTags('Reminders')
@Controller('/gateway/profile/clinic/reminder-preference')
export class ClinicPreferenceController {
  constructor(private readonly service: PreferenceService) {}

  @Get()
  @ReadPreference('CLINIC')
  getClinicPreference(@Caller() caller: ClinicPrincipal): Promise<PreferenceModel> {
    return this.service.get(caller);
  }

  @Put()
  @WritePreference('CLINIC')
  putClinicPreference(
    @Caller() caller: ClinicPrincipal,
    @Body({ schema: putClinicPreferenceSchema }) body: PutPreference,
  ): Promise<PreferenceModel> {
    return this.service.put(caller, body);
  }
}

function ReadPreference(role: Role) {
  return Operation({
    role,
    summary: role === 'CLINIC' ? "Read the Clinic's reminder defaults" : 'Read your reminder preference',
    success: { status: 200, description: 'The chosen values, and the effective ones.', schema: preferenceSchema },
    clientData: role === 'CLIENT',
  });
}

function WritePreference(role: Role) {
  return Operation({
    role,
    summary: role === 'CLINIC' ? "Set the Clinic's reminder defaults" : 'Set your reminder preference',
    description: 'Replaces the whole preference. Absent fields have the default of the Clinic or of the service.',
    success: { status: 200, description: 'The chosen values, and the effective ones.', schema: preferenceSchema },
    errors: [400, 413, 415],
    clientData: role === 'CLIENT',
  });
}
