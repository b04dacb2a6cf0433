import { Injectable } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';
import { ZoneDataState } from './zone-data.state.js';

/** Reports the version of this instance's time zone data, and whether the version of the database is newer. */
@Injectable()
export class ZoneDataMetrics {
  constructor(registry: Registry, state: ZoneDataState) {
    const info: Gauge = new Gauge({
      name: 'scheduling_zone_data_info',
      help: 'Always 1; its label is the version of the time zone data of this instance.',
      labelNames: ['version'],
      registers: [registry],
      collect: () => {
        info.reset();
        info.set({ version: state.version }, 1);
      },
    });
    const outdated: Gauge = new Gauge({
      name: 'scheduling_zone_data_outdated',
      help: 'Whether the time zone data of this instance is older than that of the database, so that it does not write.',
      registers: [registry],
      collect: () => outdated.set(state.isOutdated ? 1 : 0),
    });
  }
}
