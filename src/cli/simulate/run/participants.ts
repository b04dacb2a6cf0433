import type { SimulationOptions } from '../options.js';
import { UsageError } from '../options.js';
import { RefusedError, type Caller, type SimulatedService } from './simulated-service.js';

const ADMIN: Caller = { role: 'ADMIN', id: 0 };
const CLIENT = '/gateway/profile/clinic/client';

/** Who takes part, each as a caller of the service. */
export type Cast = { clinic: Caller; careProvider: Caller; client: Caller; clientName: string; clientZone: string };

type Person = { id: number; name: string; careProviderIds: number[] };

/**
 * The Client of the demonstration directory with their Clinic and Care Provider, living and resting as the options say.
 *
 * @throws UsageError when there is no such Client
 */
export async function castOf(
  service: SimulatedService,
  { clientId, zone, quietHours }: SimulationOptions,
): Promise<Cast> {
  const clinics = await service.list<{ id: number }>(ADMIN, '/gateway/admin/clinic');
  const client: Caller = { role: 'CLIENT', id: clientId };
  for (const { id } of clinics) {
    const clinic: Caller = { role: 'CLINIC', id };
    const person = await find(service, clinic, clientId);
    if (person === undefined) continue;
    if (zone !== undefined) await service.call(clinic, 'PATCH', `${CLIENT}/${clientId}`, { timeZone: zone });
    const wishes = { quietHours, noQuietHours: quietHours === null };
    const url = '/gateway/profile/client/reminder-preference';
    const { effective } = await service.call<{ effective: { timeZone: string } }>(client, 'PUT', url, wishes);
    const careProvider: Caller = { role: 'CARE_PROVIDER', id: person.careProviderIds[0]! };
    return { clinic, careProvider, client, clientName: person.name, clientZone: effective.timeZone };
  }
  throw new UsageError(`--client must be a Client of the demonstration directory, 1 to 4; there is no ${clientId}.`);
}

async function find(service: SimulatedService, clinic: Caller, clientId: number): Promise<Person | undefined> {
  try {
    return await service.call<Person>(clinic, 'GET', `${CLIENT}/${clientId}`);
  } catch (error) {
    if (error instanceof RefusedError) return undefined;
    throw error;
  }
}
