export { defineConfig, type ConfigSpec } from './config/define-config.js';
export { describeVariables, type VariableDescription } from './config/describe-variables.js';
export { parseDurations } from './config/durations.js';
export { HttpConfig, RuntimeConfig } from './config/runtime-config.js';
export {
  baseUrl,
  bool,
  durations,
  otpText,
  region,
  sealingKeys,
  str,
  wholeNumber,
} from './config/validators.js';
export { Health, type HealthReport } from './health/health.js';
export { AppLogger } from './logging/app-logger.js';
export { maskPhone } from './logging/mask-phone.js';
export { PeriodicTasksModule } from './process/periodic-tasks.module.js';
export { StartupError } from './process/startup-error.js';
export { PeriodicTask, type Round } from './process/periodic-task.js';
export { Periodic } from './process/periodic.js';
export { type GatewayOptions, type HttpServerOptions, runGateway } from './run-gateway.js';
export { runWorker, type WorkerOptions } from './run-worker.js';
export { Counter, Gauge, Histogram, Registry } from 'prom-client';
