import { Controller, Get, Header, Req } from '@nestjs/common';
import { ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Access, PUBLIC } from '../../shared/access/index.js';
import { Operation } from '../../shared/http/index.js';
import { Metrics } from './metrics.js';

const metricsSchema = z.string().meta({ description: 'One line for each sample.', example: 'process_open_fds 42' });

@ApiTags('Operations')
@Controller('/metrics')
@Access(PUBLIC)
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  @Get()
  @Operation({
    summary: 'Metrics for Prometheus',
    description:
      'Reminders, queue, database, audit trail, jobs and requests, as gauges, counters and histograms without personal ' +
      'data. If `METRICS_TOKEN` is set, the bearer token is that secret. If `METRICS_PORT` is set, they are on that ' +
      'port instead.',
    success: { status: 200, description: 'Prometheus text format, version 0.0.4.', schema: metricsSchema },
    errors: [401],
  })
  @ApiProduces('text/plain')
  @Header('content-type', Metrics.CONTENT_TYPE)
  async getMetrics(@Req() request: FastifyRequest): Promise<string> {
    this.metrics.authorize(request);
    return this.metrics.read();
  }
}
