// The public interface of this module. Other modules must not import its other files.
export { printStartupMessage, describeCommandFailure, describeStartupError } from './process/startup-message.js';
export { createLogger } from './log/logger.js';
export { Metrics } from './metrics/metrics.js';
export { MetricsServer } from './metrics/metrics.server.js';
export { createOpenApiDocument, isDocumentationUrl, serveOpenApi } from './openapi/openapi.js';
export { OpsModule } from './ops.module.js';
export { logRequests } from './log/request-log.js';
export { GracefulShutdown } from './process/graceful-shutdown.js';
export { explainOwnerErrors } from './process/owner-errors.js';
export {
  detectDistribution,
  withOwnerConnection,
  refuseMigrationIfDistributed,
  requireUsableQueue,
  upgradeSchema,
} from './process/schema.js';
export { createTelemetry } from './telemetry/telemetry.js';
export type { Telemetry } from './telemetry/telemetry-environment.js';
