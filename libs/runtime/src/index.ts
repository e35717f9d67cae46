export { configOf, type ConfigSpec } from './config/config-of.js';
export { describeVariables, type VariableDescription } from './config/describe-variables.js';
export { durationsOf } from './config/durations.js';
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
export { ChoresModule } from './process/chores.module.js';
export { Desk, type DeskWork, LeaseLost, type Leased } from './process/desk.js';
export { Refusal } from './process/refusal.js';
export { Repeating, type Round } from './process/repeating.js';
export { Repeats } from './process/repeats.js';
export { type GatewayOptions, type HttpServerOptions, runGateway } from './run-gateway.js';
export { runWorker, type WorkerOptions } from './run-worker.js';
export { Counter, Gauge, Histogram, Registry } from 'prom-client';
