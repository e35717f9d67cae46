export { configOf, type ConfigSpec } from './config/config-of.js';
export { describeVariables, type VariableDescription } from './config/describe-variables.js';
export { HttpConfig, RuntimeConfig } from './config/runtime-config.js';
export { baseUrl, bool, region, str, urlOf, wholeNumber } from './config/validators.js';
