export * from './airtime/index.js';
export * from './billing/index.js';
export * from './callback/index.js';
export * from './contact/index.js';
export * from './delivery/index.js';
export * from './link/index.js';
export * from './lookup/index.js';
export * from './otp/index.js';
export * from './schema/index.js';
export * from './sms/index.js';
export * from './template/index.js';
export * from './text/index.js';
export * from './validation/index.js';
export { type Channel, channels } from './channel.js';
export { isAllowedNumberType, type NumberType, getNumberType, numberTypes } from './number-type.js';
export { isKnownRegion, type ParsedPhone, parsePhone, setDefaultRegion } from './phone-number.js';
export {
  defaultPageSize,
  PageMeta,
  PageQuery,
  Pagination,
  PeriodPageQuery,
  RequestMeta,
} from './pagination.dto.js';
export { allContracts, contractsForQueue } from './registry.js';
export { parseTimestamp, formatTimestamp } from './timestamp.js';
export { applyContractVariables, type ContractVariables, contractVariables } from './variables.js';
