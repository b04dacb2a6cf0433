import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { HealthCheckResult } from '@nestjs/terminus';
import { z } from 'zod';
import { Access, PUBLIC } from '../../shared/access/index.js';
import { Operation } from '../../shared/http/index.js';
import { ReadinessService } from './readiness.service.js';

const UP = { database: { status: 'up' } };
const checks = (description: string, example: object) =>
  z.record(z.string(), z.looseObject({ status: z.enum(['up', 'down']) })).meta({ description, example });
const healthSchema = z
  .object({
    status: z.string().meta({ description: '`ok` if all checks have passed.', example: 'ok' }),
    info: checks('The checks that passed.', UP),
    error: checks('The checks that failed.', {}),
    details: checks('All checks.', UP),
  })
  .meta({ id: 'Health', description: 'The state of the service.' });

@ApiTags('Operations')
@Controller('/health')
@Access(PUBLIC)
export class HealthController {
  constructor(private readonly readiness: ReadinessService) {}

  @Get('live')
  @Operation({
    summary: 'Is the process alive?',
    success: { status: 200, description: 'The process is alive.', schema: healthSchema },
  })
  checkLiveness(): HealthCheckResult {
    // Terminus would respond with 503 during a shutdown, and the orchestrator would kill the process too early.
    return { status: 'ok', info: {}, error: {}, details: {} };
  }

  @Get('ready')
  @Operation({
    summary: 'Can the service answer requests and deliver reminders?',
    description:
      'Checks the database, the queue, the clock of the machine (at most 30 s off), the time zone data (not older than the data in use) and the progress of the jobs. The detail of a 503 names the failed checks. `replica`: whether a replica serves reads; the service is ready without it. `servers`: those of a distributed database; `degraded` names those that do not answer. `vault`: whether Vault, if it encrypts keys, can be used.',
    success: { status: 200, description: 'All checks passed.', schema: healthSchema },
  })
  checkReadiness(): Promise<HealthCheckResult> {
    return this.readiness.check();
  }
}
