export type { AfricasTalkingSettings, ReloadlySettings, VtpassSettings } from './airtime/adapter-settings.js';
export { kindsWithProducts } from './airtime/adapter-settings.js';
export { type AirtimeRouteTarget, decideAirtimeRoute, readAirtimeRoutes } from './airtime/airtime-routes.js';
export { notFoundAfterMs } from './airtime/not-found.js';
export { purchaseIdOf, submissionReference, vtpassReference } from './airtime/references.js';
export { reloadlyAccess, reloadlyUrl } from './airtime/reloadly-access.js';
export { readReloadlyTransactions } from './airtime/reloadly-transactions.js';
export { CostTable } from './cost/cost-settings.js';
export { convertMicros, type Cost, formatMicros, parseMicros, parsePrice } from './cost/money.js';
export { askCredits, type CreditSource } from './credit/ask-credits.js';
export { type Credit, readCredit, warnBelowMicros } from './credit/credit-settings.js';
export type { Secrets } from './http/request/build-request.js';
export { findRefusedPatterns, type Outcome } from './http/answer-settings.js';
export { HttpCaller } from './http/http-caller.js';
export { type HttpCall, HttpClients, HttpExchange } from './http/http-exchange.js';
export { parseJson, textAt, valueAt } from './http/json-values.js';
export type { AskOutcome, HttpSettings } from './http/http-settings.js';
export { type LookupCall, LookupCaller } from './http/lookup/lookup-caller.js';
export type { FieldRule, LookupSettings } from './http/lookup/lookup-settings.js';
export type { LookupFinding } from './http/lookup/read-finding.js';
export { type InboundRequest } from './http/inbound-document.js';
export type { ReadMessage } from './http/incoming/read-incoming.js';
export { InboundContents } from './inbound-contents.js';
export { inboundPath, newInboundToken, openToken, sealToken } from './inbound-token.js';
export type { Answer, CallOutcome } from './http/read-part.js';
export type { RequestSettings } from './http/request/request-settings.js';
export { findKind, providerKinds } from './kinds.js';
export { messageSettings } from './message-settings.js';
export type { LookupPreset, Preset } from './presets/preset.js';
export { messagePresets, presets } from './presets/presets.js';
export { BuiltProviders } from './built-providers.js';
export { openSecrets, sealSecrets } from './provider-secrets.js';
export { type ReadInbound, readInbound } from './read-inbound.js';
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
