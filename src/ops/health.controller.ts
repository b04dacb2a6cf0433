import { MikroORM } from '@mikro-orm/core';
import { Controller, Get, ServiceUnavailableException } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  HealthCheckService,
  HealthIndicatorService,
  type HealthCheckResult,
  type HealthIndicatorResult,
} from '@nestjs/terminus';
import { z } from 'zod';
import { ReminderQueue } from '../reminder/index.js';
import { PUBLIC } from '../shared/access/index.js';
import { Operation } from '../shared/http/index.js';
import { Stopping } from './stopping.js';

const UP = { database: { status: 'up' } };
const checks = (description: string, example: object) =>
  z.record(z.string(), z.looseObject({ status: z.enum(['up', 'down']) })).meta({ description, example });
const healthSchema = z
  .object({
    status: z.string().meta({ description: '`ok` when all is well.', example: 'ok' }),
    info: checks('The checks that passed.', UP),
    error: checks('The checks that failed.', {}),
    details: checks('All checks.', UP),
  })
  .meta({ id: 'Health', description: 'State of the service.' });

@ApiTags('Operations')
@Controller('/health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly orm: MikroORM,
    private readonly queue: ReminderQueue,
    private readonly stopping: Stopping,
  ) {}

  @Get('live')
  @Operation({
    role: PUBLIC,
    summary: 'Is the process alive?',
    success: { status: 200, description: 'It is.', schema: healthSchema },
  })
  live(): HealthCheckResult {
    // Also while the service stops, which a check would call unhealthy.
    return { status: 'ok', info: {}, error: {}, details: {} };
  }

  @Get('ready')
  @Operation({
    role: PUBLIC,
    summary: 'Can the service answer requests and deliver reminders?',
    success: { status: 200, description: 'Database and queue answer.', schema: healthSchema },
  })
  async ready(): Promise<HealthCheckResult> {
    // Everything still answers: so that nobody sends anything new until nothing does.
    if (this.stopping.hasBegun) throw new ServiceUnavailableException();
    return this.health.check([() => this.database(), () => this.reminderQueue()]);
  }

  private async database(): Promise<HealthIndicatorResult> {
    const indicator = this.indicators.check('database');
    const { ok } = await this.orm.checkConnection();
    return ok ? indicator.up() : indicator.down();
  }

  private reminderQueue(): HealthIndicatorResult {
    const indicator = this.indicators.check('reminderQueue');
    return this.queue.isRunning ? indicator.up() : indicator.down();
  }
}
