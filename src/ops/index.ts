// The door of operations: other modules import from here and from nowhere deeper.
export { announce, explainFailure } from './announce.js';
export { createLogger } from './logger.js';
export { Metrics } from './metrics.js';
export { MetricsServer } from './metrics.server.js';
export { createOpenApiDocument, isDocumentation, useOpenApi } from './openapi.js';
export { OpsModule } from './ops.module.js';
export { logRequests } from './request-log.js';
export { GracefulShutdown } from './graceful-shutdown.js';
export { asOwner, requireQueue, upgradeSchema } from './schema.js';
