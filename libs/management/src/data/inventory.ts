/**
 * What `data erase` does with the rows of a table that are about a person.
 * - `deleted`: the rows are deleted.
 * - `redacted`: the rows stay for the books; number and contents are removed.
 * - `kept`: the rows stay as they are; docs/operate/personal-data.md says why.
 * - `none`: the table has no personal data of recipients.
 */
export type Treatment = 'deleted' | 'redacted' | 'kept' | 'none';

export interface TableInventory {
  readonly treatment: Treatment;
  /** Columns that can hold a phone number, or content that is about a person. */
  readonly personal?: readonly string[];
  /** Columns that hold neither: names of providers, codes, settings, secrets, digests. */
  readonly other?: readonly string[];
  /** Rows that are exported and erased as they are; other tables have code of their own in `tables/`. */
  readonly rows?: PlainRows;
}

/** How rows about a person are found: by their number, which is the first personal column, or by what their file contains. */
export interface PlainRows {
  /** What the export calls them. */
  readonly section: string;
  /** Identifies a row in its organisation; `id` by default. */
  readonly key?: string;
  /** The tables with the parts of the file, and their columns for the row. A row with a file is erased when it has ended. */
  readonly parts?: readonly string[];
  /** The rows belong to the contact table of the organisation. */
  readonly ofContacts?: true;
}

/**
 * Every column that can hold text, JSON or bytes. A test compares the list with the database, so that each new column
 * is classified here.
 */
export const inventory: Readonly<Record<string, TableInventory>> = {
  _prisma_migrations: { treatment: 'none', other: ['id', 'checksum', 'migration_name', 'logs'] },
  account: { treatment: 'none', other: ['name'] },
  airtime_catalogue: { treatment: 'none', other: ['provider'] },
  airtime_product: { treatment: 'none', other: ['provider', 'network', 'code', 'name'] },
  airtime_purchase: {
    treatment: 'redacted',
    personal: ['recipient', 'recipient_given', 'error_message', 'external_ref', 'callback_url'],
    other: [
      ...['network', 'provider', 'provider_reference', 'error_code', 'request_id', 'request_reference'],
      ...['product_code', 'cost_currency'],
    ],
  },
  airtime_route: { treatment: 'none', other: ['network'] },
  api_key: { treatment: 'none', other: ['name', 'prefix', 'hash', 'scopes', 'allowed_networks'] },
  approval: {
    treatment: 'kept',
    personal: ['note'],
    other: ['action', 'subject', 'change', 'requested_by', 'requested_login', 'decided_by', 'decided_login'],
  },
  audit_chain: { treatment: 'none', other: ['hash', 'anchor_hash'] },
  audit_link: { treatment: 'none', other: ['hash'] },
  audit_log: {
    treatment: 'none',
    other: ['actor', 'database_user', 'action', 'target', 'before', 'after'],
  },
  callback: {
    treatment: 'deleted',
    personal: ['url', 'body', 'sealed_body'],
    other: ['type', 'host', 'request_id'],
  },
  callback_attempt: { treatment: 'deleted', personal: ['error', 'answer'] },
  callback_endpoint: { treatment: 'none', other: ['url', 'host', 'events', 'description'] },
  callback_endpoint_secret: { treatment: 'none', other: ['sealed_secret'] },
  callback_host: { treatment: 'none', other: ['host'] },
  callback_secret: { treatment: 'none', other: ['secret', 'sealed_secret'] },
  contact_column: { treatment: 'none', other: ['name', 'type', 'options'] },
  contact_export: {
    treatment: 'deleted',
    personal: ['filters'],
    other: ['columns', 'reason'],
    rows: { section: 'contact_exports', ofContacts: true, parts: ['contact_export_part.export_id'] },
  },
  contact_export_part: { treatment: 'deleted', personal: ['data'] },
  contact_import: {
    treatment: 'deleted',
    personal: ['problems'],
    other: ['delimiter', 'reason', 'sha256', 'date_format'],
    rows: {
      section: 'contact_imports',
      ofContacts: true,
      parts: ['contact_import_part.import_id', 'contact_rejected_part.import_id'],
    },
  },
  contact_import_part: { treatment: 'deleted', personal: ['data'] },
  contact_rejected_part: { treatment: 'deleted', personal: ['data'] },
  contact_row: { treatment: 'deleted', personal: ['cells', 'matched'] },
  contact_scroll: { treatment: 'deleted', personal: ['fingerprint'] },
  contact_scroll_page: { treatment: 'deleted', personal: ['last_key'] },
  delivery: {
    treatment: 'redacted',
    personal: [
      ...['recipient', 'recipient_given', 'substitutions', 'sealed_body', 'error_message'],
      // The ids of WhatsApp contain the number.
      'provider_reference',
    ],
    other: [
      'provider',
      'error_code',
      'quiet_by',
      'refused_by',
      'unanswered_by',
      'resolution',
      'cost_currency',
    ],
  },
  delivery_poll: { treatment: 'none', other: ['provider'] },
  delivery_attempt: {
    treatment: 'redacted',
    personal: ['error_message'],
    other: ['provider', 'outcome', 'error_code', 'cost_currency'],
  },
  dnd_number: { treatment: 'kept', personal: ['phone'] },
  help_answer: { treatment: 'deleted', personal: ['phone'], rows: { section: 'help_answers' } },
  idempotency_claim: {
    treatment: 'redacted',
    // The client chooses the key.
    personal: ['answer_body', 'key'],
    other: ['method', 'path', 'fingerprint', 'answer_type'],
  },
  inbound_number: { treatment: 'none', other: ['number', 'provider'] },
  inbound_request: {
    treatment: 'redacted',
    personal: ['sealed_content', 'fault'],
    other: ['provider', 'digest', 'method', 'content_type'],
  },
  incoming_message: {
    treatment: 'deleted',
    personal: ['sender', 'text', 'sealed_text'],
    other: ['number', 'type', 'provider', 'provider_reference'],
    rows: { section: 'received_messages' },
  },
  last_keyword: {
    treatment: 'kept',
    personal: ['phone'],
    rows: { section: 'stop_and_start', key: `(phone || ' ' || channel::text)` },
  },
  lease_holder: { treatment: 'none', other: ['app', 'host'] },
  ledger_movement: { treatment: 'kept', personal: ['note'] },
  link_click: { treatment: 'deleted', personal: ['code'] },
  live_finding: {
    treatment: 'deleted',
    personal: ['phone', 'operator', 'country', 'line_type'],
    other: ['provider'],
  },
  lookup_batch: {
    treatment: 'deleted',
    personal: ['phones', 'list'],
    other: ['reason'],
    rows: { section: 'lookup_batches', parts: ['lookup_batch_part.batch_id'] },
  },
  lookup_batch_part: { treatment: 'deleted', personal: ['data'] },
  lookup_tally: { treatment: 'none', other: ['provider', 'currency'] },
  message: {
    treatment: 'redacted',
    personal: ['recipients', 'content', 'personalisation', 'external_ref', 'callback_url', 'sealed_text'],
    other: [
      ...['sender', 'template_id', 'template_provider_name', 'template_language', 'template_variables'],
      ...['encoding', 'request_id', 'category'],
    ],
  },
  message_expansion: {
    treatment: 'kept',
    personal: ['list'],
    other: ['phone_column', 'error_message', 'charged_prices'],
  },
  opt_out: { treatment: 'kept', personal: ['phone'], rows: { section: 'opt_outs' } },
  money_limit: { treatment: 'none', other: ['name'] },
  operator_login: { treatment: 'none', other: ['name', 'login', 'confirmed_by'] },
  organisation: { treatment: 'none', other: ['default_sender', 'settings'] },
  organisation_price: { treatment: 'none', other: ['prefix', 'category'] },
  otp: {
    treatment: 'redacted',
    personal: ['recipient', 'recipient_given', 'sealed_token'],
    other: ['hmac', 'request_id'],
  },
  otp_verification: { treatment: 'redacted', personal: ['recipient'] },
  outbox_message: {
    treatment: 'deleted',
    personal: ['recipient', 'sealed_text'],
    other: ['sender', 'outcome'],
    rows: { section: 'test_outbox' },
  },
  parked_report: {
    treatment: 'kept',
    personal: ['provider_reference'],
    other: ['provider', 'error_code', 'cost_currency'],
  },
  payment_reference: { treatment: 'none', other: ['reference'] },
  ported_number: { treatment: 'kept', personal: ['phone', 'operator'] },
  price: { treatment: 'none', other: ['prefix', 'category'] },
  provider: { treatment: 'none', other: ['name', 'kind', 'settings', 'sealed_secrets', 'sealed_token'] },
  provider_health: { treatment: 'none', other: ['error_code', 'credit_currency'] },
  provider_reference: {
    treatment: 'redacted',
    personal: ['reference'],
    other: ['provider', 'error_code', 'cost_currency'],
  },
  provider_template: {
    treatment: 'none',
    other: ['provider', 'name', 'language', 'status', 'category', 'reason'],
  },
  registry_import: { treatment: 'none', other: ['source', 'digest'] },
  route: { treatment: 'none', other: ['category', 'prefix', 'country', 'operator'] },
  sender: { treatment: 'none', other: ['name'] },
  sender_registration: { treatment: 'none', other: ['provider', 'sender', 'originator', 'note'] },
  simulated_message: { treatment: 'deleted', personal: ['recipient'], other: ['outcome'] },
  simulated_top_up: { treatment: 'deleted', personal: ['recipient'], other: ['network', 'outcome'] },
  smartlist: { treatment: 'kept', personal: ['filters'], other: ['name'] },
  template: { treatment: 'none', other: ['name', 'body', 'provider_name', 'language', 'variables'] },
  tracked_link: { treatment: 'deleted', personal: ['code', 'url', 'sealed_url'] },
  whatsapp_receiver: { treatment: 'none', other: ['provider'] },
  unapproved_amount: { treatment: 'none', other: ['login'] },
  whatsapp_window: {
    treatment: 'deleted',
    personal: ['phone'],
    other: ['provider'],
    rows: { section: 'whatsapp_windows', key: `(phone || ' ' || provider)` },
  },
};
