import type { SimulationOptions } from '../options.js';
import { UsageError } from '../../command-line.js';
import { RequestRefusedError, type ServiceCaller, type InMemoryService } from './in-memory-service.js';

const ADMIN: ServiceCaller = { role: 'ADMIN', id: 0 };
const CLIENTS = '/gateway/profile/clinic/client';

/** The Client, Care Provider and Clinic of a simulation, as callers of the service. */
export type SimulationParticipants = {
  clinic: ServiceCaller;
  careProvider: ServiceCaller;
  client: ServiceCaller;
  clientName: string;
  clientZone: string;
};

type ClientRecord = { id: number; name: string; careProviderIds: number[] };

/**
 * Finds the Client, the Clinic and the Care Provider in the demonstration directory, and sets the Client's time zone
 * and quiet hours from the options.
 *
 * @throws UsageError if the Client does not exist
 */
export async function prepareSimulationParticipants(
  service: InMemoryService,
  { clientId, zone, quietHours }: SimulationOptions,
): Promise<SimulationParticipants> {
  const clinics = await service.list<{ id: number }>(ADMIN, '/gateway/admin/clinic');
  const client: ServiceCaller = { role: 'CLIENT', id: clientId };
  for (const { id } of clinics) {
    const clinic: ServiceCaller = { role: 'CLINIC', id };
    const person = await findClient(service, clinic, clientId);
    if (person === undefined) continue;
    if (zone !== undefined) await service.call(clinic, 'PATCH', `${CLIENTS}/${clientId}`, { timeZone: zone });
    const preference = { quietHours, noQuietHours: quietHours === null };
    const url = '/gateway/profile/client/reminder-preference';
    const { effective } = await service.call<{ effective: { timeZone: string } }>(client, 'PUT', url, preference);
    const careProvider: ServiceCaller = { role: 'CARE_PROVIDER', id: person.careProviderIds[0]! };
    return { clinic, careProvider, client, clientName: person.name, clientZone: effective.timeZone };
  }
  throw new UsageError(`--client must be a Client of the demonstration directory, 1 to 4, not ${clientId}.`);
}

async function findClient(
  service: InMemoryService,
  clinic: ServiceCaller,
  clientId: number,
): Promise<ClientRecord | undefined> {
  try {
    return await service.call<ClientRecord>(clinic, 'GET', `${CLIENTS}/${clientId}`);
  } catch (error) {
    if (error instanceof RequestRefusedError) return undefined;
    throw error;
  }
}
