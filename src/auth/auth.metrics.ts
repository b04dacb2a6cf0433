import { Injectable } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';
import { DenyList } from './revocation/deny-list.js';

/** Metrics of the list of revoked tokens that this instance keeps in memory: its age and its number of entries. */
@Injectable()
export class AuthMetrics {
  constructor(registry: Registry, denyList: DenyList) {
    const age: Gauge = new Gauge({
      name: 'scheduling_revocation_list_age_seconds',
      help: 'Time since this instance has read the list of revoked tokens.',
      registers: [registry],
      collect: () => age.set(denyList.ageSeconds),
    });
    const size: Gauge<'kind'> = new Gauge({
      name: 'scheduling_revocation_list_entries',
      help: 'Revoked tokens, and subjects and records with revoked tokens, that this instance holds in memory.',
      labelNames: ['kind'],
      registers: [registry],
      collect: () => {
        const { tokens, holders } = denyList.size;
        size.set({ kind: 'token' }, tokens);
        size.set({ kind: 'holder' }, holders);
      },
    });
  }
}
