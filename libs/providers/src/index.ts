export { type CostSettings, CostTable } from './cost/cost-settings.js';
export { convertMicros, type Cost, formatMicros, parseMicros, parsePrice } from './cost/money.js';
export { askCredits, type CreditSource } from './credit/ask-credits.js';
export { type Credit, warnBelowMicros } from './credit/credit-settings.js';
export type { Secrets } from './http/request/build-request.js';
export type { Outcome } from './http/answer-settings.js';
export { HttpCaller } from './http/http-caller.js';
export { type HttpCall, HttpClients } from './http/http-exchange.js';
export { type AskOutcome, findHttpFaults, type HttpSettings } from './http/http-settings.js';
export { type LookupCall, LookupCaller } from './http/lookup/lookup-caller.js';
export type { FieldRule, LookupOutcome, LookupSettings } from './http/lookup/lookup-settings.js';
export type { LookupFinding } from './http/lookup/read-finding.js';
export {
  type InboundRequest,
  type ReadReport,
  type ReadReports,
  readReports,
} from './http/reports/read-reports.js';
export { type ReportSettings, type ReportState } from './http/reports/report-settings.js';
export { InboundContents } from './inbound-contents.js';
export { inboundPath, newInboundToken, openToken, sealToken } from './inbound-token.js';
export type { MessageValues } from './http/request/placeholders.js';
export type { CallOutcome } from './http/read-answer.js';
export { type DomainKind, findKind, type ProviderKind, providerKinds } from './kinds.js';
export type { LookupPreset, Preset } from './presets/preset.js';
export { lookupPresets, messagePresets, presets } from './presets/presets.js';
export { BuiltProviders } from './built-providers.js';
export { openSecrets, sealSecrets } from './provider-secrets.js';
export {
  decideRoute,
  findFault,
  hasRoute,
  noRouteError,
  type Route,
  type RouteCategory,
  type RouteDecision,
  type RouteSender,
  type RouteSubject,
  type RouteTable,
  routeTable,
  type RouteTarget,
} from './routes/decide-route.js';
export { operatorOf, portedNumberReader, type PortedNumbers, portedTo } from './routes/ported-numbers.js';
export { SenderRegistrationReader } from './senders/sender-registrations.js';
export { readProviders, readRoutableProviders, readRoutes, type StoredProvider } from './stored-providers.js';
export {
  countedMinutes,
  type ProviderState,
  rateGrowth,
  storedHealth,
  type StoredHealth,
  type SubmissionCounts,
} from './health/stored-health.js';
