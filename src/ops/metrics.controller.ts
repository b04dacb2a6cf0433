import { Controller, Get, Header } from '@nestjs/common';
import { ApiProduces, ApiTags } from '@nestjs/swagger';
import { Registry } from 'prom-client';
import { z } from 'zod';
import { PUBLIC } from '../shared/access/index.js';
import { Operation } from '../shared/http/index.js';
import { Metrics } from './metrics.js';

const metricsSchema = z.string().meta({ description: 'One line for each sample.', example: 'process_open_fds 42' });

@ApiTags('Operations')
@Controller('/metrics')
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  @Get()
  @Operation({
    role: PUBLIC,
    summary: 'Metrics for Prometheus',
    success: { status: 200, description: 'Prometheus text format, version 0.0.4.', schema: metricsSchema },
  })
  @ApiProduces('text/plain')
  @Header('content-type', Registry.PROMETHEUS_CONTENT_TYPE)
  readMetrics(): Promise<string> {
    return this.metrics.registry.metrics();
  }
}
