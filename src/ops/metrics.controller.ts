import { Controller, Get, Header } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Registry } from 'prom-client';
import { PUBLIC } from '../shared/access/index.js';
import { Operation } from '../shared/http/index.js';
import { Metrics } from './metrics.js';

@ApiTags('Operations')
@Controller('/metrics')
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  @Get()
  @Operation({
    role: PUBLIC,
    summary: 'Metrics for Prometheus',
    success: { status: 200, description: 'Prometheus text format, version 0.0.4.' },
  })
  @Header('content-type', Registry.PROMETHEUS_CONTENT_TYPE)
  read(): Promise<string> {
    return this.metrics.registry.metrics();
  }
}
