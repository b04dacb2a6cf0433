import { Injectable } from '@nestjs/common';
import { Client, Directory, ParticipantLocks, type CareProvider } from '../directory/index.js';
import type { CareProviderPrincipal, ClientPrincipal } from '../shared/access/index.js';
import { ForbiddenError } from '../shared/errors/index.js';
import type { CalendarOwner } from './calendar-link.entity.js';

/** Callers that have a calendar. */
export type CallerWithCalendar = CareProviderPrincipal | ClientPrincipal;

/** Resolves the owner of a calendar, within the caller's transaction. */
@Injectable()
export class CalendarOwnerResolver {
  constructor(
    private readonly directory: Directory,
    private readonly locks: ParticipantLocks,
  ) {}

  /** @throws ForbiddenError when the record that the token names, or its Clinic, does not exist or is not active */
  async requireOwner(caller: CallerWithCalendar): Promise<CalendarOwner> {
    return toCalendarOwner(await this.requirePerson(caller));
  }

  /** Like `requireOwner`, but also locks the owner until the transaction ends. */
  async lockOwner(caller: CallerWithCalendar): Promise<CalendarOwner> {
    const person = await this.requirePerson(caller);
    await this.locks.lockCaller(person.clinicId, { kind: caller.role, id: person.id });
    return toCalendarOwner(person);
  }

  /** Returns false if the owner or their Clinic is deactivated. */
  async isActive(owner: CalendarOwner): Promise<boolean> {
    try {
      await this.requirePerson(toPrincipal(owner));
      return true;
    } catch (error) {
      if (error instanceof ForbiddenError) return false;
      throw error;
    }
  }

  private async requirePerson(caller: CallerWithCalendar): Promise<CareProvider | Client> {
    if (caller.role === 'CLIENT') return (await this.directory.requireClient(caller)).client;
    return (await this.directory.requireCareProvider(caller)).careProvider;
  }
}

function toCalendarOwner(person: CareProvider | Client): CalendarOwner {
  const { clinicId, id } = person;
  return person instanceof Client ? { clinicId, clientId: id } : { clinicId, caregiverId: id };
}

/** Returns the principal on whose behalf a request with the link acts. */
function toPrincipal(owner: CalendarOwner): CallerWithCalendar {
  const subject = 'calendar-link';
  return 'clientId' in owner
    ? { role: 'CLIENT', subject, clientId: owner.clientId }
    : { role: 'CARE_PROVIDER', subject, caregiverId: owner.caregiverId };
}
