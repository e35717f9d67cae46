export type { AfricasTalkingSettings, ReloadlySettings, VtpassSettings } from './airtime/adapter-settings.js';
export { costLessCommission } from './airtime/commission.js';
export { kindsWithProducts } from './airtime/adapter-settings.js';
export { type AirtimeRouteTarget, decideAirtimeRoute, readAirtimeRoutes } from './airtime/airtime-routes.js';
export { notFoundAfterMs } from './airtime/not-found.js';
export { purchaseIdOf, submissionReference, vtpassReference } from './airtime/references.js';
export { reloadlyAccess, reloadlyUrl } from './airtime/reloadly-access.js';
export { readReloadlyTransactions } from './airtime/reloadly-transactions.js';
export { type CostSettings, CostTable } from './cost/cost-settings.js';
export {
  convertMicros,
  type Cost,
  formatMicros,
  microsPerKobo,
  parseMicros,
  parsePrice,
} from './cost/money.js';
export { type CountPages, oncePerText, pageCounter } from './cost/page-rules.js';
export type { ReportedCost } from './cost/reported-cost.js';
export type { CreditSource } from './credit/ask-credits.js';
export { type Credit, readCredit, warnBelowMicros } from './credit/credit-settings.js';
export type { Secrets } from './http/request/build-request.js';
export { findRefusedPatterns, type Outcome } from './http/answer-settings.js';
export { HttpCaller } from './http/http-caller.js';
export { type HttpCall, HttpClients, HttpExchange } from './http/http-exchange.js';
export { parseJson, textAt, valueAt } from './http/json-values.js';
export type { AskOutcome, HttpSettings } from './http/http-settings.js';
export { type LookupCall, LookupCaller } from './http/lookup/lookup-caller.js';
export type { FieldRule, LookupSettings } from './http/lookup/lookup-settings.js';
export type { LookupFinding } from './http/lookup/lookup-finding.js';
export { pollDefaults } from './http/reports/poll-settings.js';
export type { PolledState } from './http/reports/read-poll.js';
export { type InboundRequest } from './http/inbound-document.js';
export type { ReadMessage } from './http/incoming/read-incoming.js';
export { type InboundContent, InboundContents } from './inbound/inbound-contents.js';
export { inboundHeaders, inboundSecretNames, type InboundSettings } from './inbound/inbound-settings.js';
export {
  inboundPath,
  type InboundTokens,
  newInboundToken,
  openTokens,
  type ReportAddress,
  reportAddress,
  sealTokens,
  usesReportUrl,
} from './inbound/inbound-token.js';
export type { Answer, CallOutcome } from './http/read-part.js';
export type { RequestSettings } from './http/request/request-settings.js';
export { findKind, providerKinds } from './kinds.js';
export { messageSettings } from './message-settings.js';
export type { LookupPreset, Preset } from './presets/preset.js';
export { messagePresets, presets } from './presets/presets.js';
export { openSecrets, type SecretOwner, sealSecrets } from './provider-secrets.js';
export { type ReadInbound, readInbound } from './inbound/read-inbound.js';
export { type ReceivedRequest } from './inbound/received-request.js';
export { challengeOf, findForgery } from './inbound/verify-request.js';
export { type ProviderConnection, ProviderRegistry, readAtStart } from './registry/provider-registry.js';
export {
  decideRoute,
  findFault,
  hasRoute,
  noRouteError,
  type Route,
  type RouteCategory,
  type RouteTable,
  routeTable,
  type RouteTarget,
} from './routes/decide-route.js';
export { MessageRoutes, nonePorted } from './routes/message-routes.js';
export { networkOfRange } from './routes/network-prefixes.js';
export { operatorOf, portedNumberReader, type PortedNumbers, portedTo } from './routes/ported-numbers.js';
export { SenderRegistrationReader } from './senders/sender-registrations.js';
export { readProviders, readRoutableProviders, readRoutes, type StoredProvider } from './stored-providers.js';
export { type Admission, CircuitBreaker } from './health/circuit-breaker.js';
export { FailureCounts, type JudgedRequest, type Verdict } from './health/failure-counts.js';
export { countedMinutes, type ProviderState, rateGrowth, storedHealth } from './health/stored-health.js';
export { SubmissionCounter } from './health/submission-counter.js';
export { storableText } from './storable-text.js';
export { pairLimit } from './whatsapp/error-codes.js';
export { templateRequest, whatsAppHttp } from './whatsapp/whatsapp-requests.js';
export type { WhatsAppSettings } from './whatsapp/whatsapp-settings.js';
export type { TemplateUpdate } from './whatsapp/templates/read-template-updates.js';
export { type AccountTemplate, readAccountTemplates } from './whatsapp/templates/account-templates.js';
export {
  describeUnusable,
  type UnusableTemplate,
  UnusableTemplates,
} from './whatsapp/templates/unusable-templates.js';
