export { type ConfigSpec, defineConfig } from './config/define-config.js';
export {
  describeVariables,
  HttpConfig,
  RuntimeConfig,
  type VariableDescription,
} from './config/runtime-config.js';
export {
  baseUrl,
  bool,
  checkedText,
  durations,
  parseDurations,
  sealingKeys,
  str,
  wholeNumber,
} from './config/validators.js';
export { Health, type HealthReport } from './health/health.js';
export { AppLogger } from './logging/logger.js';
export { maskPhone } from './logging/mask-phone.js';
export { PeriodicTask, type Round } from './process/periodic-task.js';
export { Periodic, PeriodicTasksModule } from './process/periodic-tasks.js';
export { StartupError } from './process/supervisor.js';
export { type GatewayOptions, type HttpServerOptions, runGateway } from './run-gateway.js';
export { runWorker, type WorkerOptions } from './run-worker.js';
export { Counter, Gauge, Histogram, Registry } from 'prom-client';
