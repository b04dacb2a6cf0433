import { applyDecorators, Body, Controller, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, Caller, type StaffPrincipal } from '../../shared/access/index.js';
import { ApiIfMatch, Operation, IfMatchVersion, OptionalIfMatchVersion } from '../../shared/http/index.js';
import { ApiOffsetHeader, RequestOffset } from '../../shared/time/index.js';
import { idParam } from '../../shared/validation/index.js';
import { findVersionOfOnlySession, seriesChangeSchema, type SeriesChange } from '../scheduling/dto/series-change.js';
import {
  cancelSessionSchema,
  changeSessionSchema,
  scopedChangeQuery,
  undoQuery,
  type CancelSession,
  type ChangeSession,
  type ScopedChangeQuery,
  type UndoQuery,
} from './dto/session-changes.js';
import { SessionLifecycleService } from './session-lifecycle.service.js';

const changed = {
  success: { status: 200, description: 'The Sessions that have changed.', schema: seriesChangeSchema },
  representation: 'default',
  versionOf: findVersionOfOnlySession,
  clientData: true,
} as const;

/** Operations that change existing Sessions, identical for Care Providers and Clinics. */
@ApiTags('Sessions')
abstract class SessionLifecycleController {
  constructor(private readonly lifecycle: SessionLifecycleService) {}

  @Patch(':id')
  @Operation({
    summary: 'Change or move a Session, or with a scope the rest of its series',
    description: 'Unsent reminders move with the Session.',
    errors: [400, 404, 409, 412, 413, 415, 428],
    ...changed,
  })
  @ApiIfMatch()
  @ApiOffsetHeader('change')
  changeSession(
    @Caller() caller: StaffPrincipal,
    @Param('id', { schema: idParam }) id: number,
    @IfMatchVersion() seenVersion: number,
    @Body({ schema: changeSessionSchema }) body: ChangeSession,
    @Query({ schema: scopedChangeQuery }) query: ScopedChangeQuery,
    @RequestOffset() offset: string | undefined,
  ): Promise<SeriesChange> {
    return this.lifecycle.change(caller, id, seenVersion, body, query, offset);
  }

  @Post(':id/cancel')
  @Operation({
    summary: 'Cancel a Session, or with a scope the rest of its series',
    description: 'Unsent reminders are withdrawn.',
    errors: [400, 404, 409, 412, 413, 415],
    ...changed,
  })
  @ApiIfMatch({ isRequired: false })
  cancelSession(
    @Caller() caller: StaffPrincipal,
    @Param('id', { schema: idParam }) id: number,
    @OptionalIfMatchVersion() seenVersion: number | undefined,
    @Body({ schema: cancelSessionSchema }) body: CancelSession,
    @Query({ schema: scopedChangeQuery }) query: ScopedChangeQuery,
  ): Promise<SeriesChange> {
    return this.lifecycle.cancel(caller, id, body, query, seenVersion);
  }

  @Post(':id/complete')
  @LifecycleStepOperation('Mark a Session as completed', 'The Session must have started.')
  completeSession(
    @Caller() caller: StaffPrincipal,
    @Param('id', { schema: idParam }) id: number,
    @OptionalIfMatchVersion() seenVersion: number | undefined,
  ): Promise<SeriesChange> {
    return this.lifecycle.complete(caller, id, seenVersion);
  }

  @Post(':id/no-show')
  @LifecycleStepOperation('Mark a Session as a no-show', 'The Client did not come. The Session must have started.')
  markSessionNoShow(
    @Caller() caller: StaffPrincipal,
    @Param('id', { schema: idParam }) id: number,
    @OptionalIfMatchVersion() seenVersion: number | undefined,
  ): Promise<SeriesChange> {
    return this.lifecycle.markNoShow(caller, id, seenVersion);
  }

  @Post(':id/undo')
  @LifecycleStepOperation(
    'Undo the last status change of a Session',
    'Within 30 days. With a scope, undoes everything that the same request has changed. Reminders are restored if their ' +
      'time has not passed. 409 also if a participant of an upcoming Session is deactivated, or if its week of the plan ' +
      'has another Session now.',
  )
  undoSessionStep(
    @Caller() caller: StaffPrincipal,
    @Param('id', { schema: idParam }) id: number,
    @OptionalIfMatchVersion() seenVersion: number | undefined,
    @Query({ schema: undoQuery }) query: UndoQuery,
  ): Promise<SeriesChange> {
    return this.lifecycle.undo(caller, id, query, seenVersion);
  }
}

@Controller('/gateway/profile/caregiver/session')
@Access('CARE_PROVIDER')
export class CareProviderSessionLifecycleController extends SessionLifecycleController {}

@Controller('/gateway/profile/clinic/session')
@Access('CLINIC')
export class ClinicSessionLifecycleController extends SessionLifecycleController {}

function LifecycleStepOperation(summary: string, description: string) {
  const operation = Operation({ summary, description, errors: [400, 404, 409, 412], ...changed });
  return applyDecorators(operation, ApiIfMatch({ isRequired: false }));
}
