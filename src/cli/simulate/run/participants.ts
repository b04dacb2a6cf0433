import type { SimulationOptions } from '../options.js';
import { UsageError } from '../options.js';
import { RequestRefusedError, type Caller, type SimulatedService } from './simulated-service.js';

const ADMIN: Caller = { role: 'ADMIN', id: 0 };
const CLIENTS = '/gateway/profile/clinic/client';

/** Who takes part, each as a caller of the service. */
export type Participants = {
  clinic: Caller;
  careProvider: Caller;
  client: Caller;
  clientName: string;
  clientZone: string;
};

type ClientRecord = { id: number; name: string; careProviderIds: number[] };

/**
 * The Client of the demonstration directory with their Clinic and Care Provider, living and resting as the options say.
 *
 * @throws UsageError when there is no such Client
 */
export async function prepareParticipants(
  service: SimulatedService,
  { clientId, zone, quietHours }: SimulationOptions,
): Promise<Participants> {
  const clinics = await service.list<{ id: number }>(ADMIN, '/gateway/admin/clinic');
  const client: Caller = { role: 'CLIENT', id: clientId };
  for (const { id } of clinics) {
    const clinic: Caller = { role: 'CLINIC', id };
    const person = await findClient(service, clinic, clientId);
    if (person === undefined) continue;
    if (zone !== undefined) await service.call(clinic, 'PATCH', `${CLIENTS}/${clientId}`, { timeZone: zone });
    const wishes = { quietHours, noQuietHours: quietHours === null };
    const url = '/gateway/profile/client/reminder-preference';
    const { effective } = await service.call<{ effective: { timeZone: string } }>(client, 'PUT', url, wishes);
    const careProvider: Caller = { role: 'CARE_PROVIDER', id: person.careProviderIds[0]! };
    return { clinic, careProvider, client, clientName: person.name, clientZone: effective.timeZone };
  }
  throw new UsageError(`--client must be a Client of the demonstration directory, 1 to 4; there is no ${clientId}.`);
}

async function findClient(
  service: SimulatedService,
  clinic: Caller,
  clientId: number,
): Promise<ClientRecord | undefined> {
  try {
    return await service.call<ClientRecord>(clinic, 'GET', `${CLIENTS}/${clientId}`);
  } catch (error) {
    if (error instanceof RequestRefusedError) return undefined;
    throw error;
  }
}
