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

const columns = (names: string): readonly string[] => names.split(' ');

const tableWith =
  (treatment: Treatment) =>
  (personal: string, other?: string): TableInventory => ({
    treatment,
    personal: columns(personal),
    ...(other !== undefined && { other: columns(other) }),
  });

const [deleted, redacted, kept] = [tableWith('deleted'), tableWith('redacted'), tableWith('kept')];
const none = (other: string): TableInventory => ({ treatment: 'none', other: columns(other) });

/**
 * Every column that can hold text, JSON or bytes: first those with personal data, then the others. A test compares the
 * list with the database, so that each new column is classified here.
 */
export const inventory: Readonly<Record<string, TableInventory>> = {
  _prisma_migrations: none('id checksum migration_name logs'),
  account: none('name'),
  airtime_catalogue: none('provider'),
  airtime_product: none('provider network code name'),
  airtime_purchase: redacted(
    'recipient recipient_given error_message external_ref callback_url',
    'network provider provider_reference error_code request_id request_reference product_code cost_currency',
  ),
  airtime_route: none('network'),
  api_key: none('name prefix hash scopes allowed_networks'),
  approval: kept('note', 'action subject change requested_by requested_login decided_by decided_login'),
  audit_chain: none('hash anchor_hash'),
  audit_link: none('hash'),
  audit_log: none('actor database_user action target before after'),
  callback: deleted('url body sealed_body', 'type host request_id'),
  callback_attempt: deleted('error answer'),
  callback_endpoint: none('url host events description'),
  callback_endpoint_secret: none('sealed_secret'),
  callback_host: none('host'),
  callback_secret: none('secret sealed_secret'),
  contact_column: none('name type options'),
  contact_export: {
    ...deleted('filters', 'columns reason'),
    rows: { section: 'contact_exports', ofContacts: true, parts: ['contact_export_part.export_id'] },
  },
  contact_export_part: deleted('data'),
  contact_import: {
    ...deleted('problems', 'delimiter reason sha256 date_format'),
    rows: {
      section: 'contact_imports',
      ofContacts: true,
      parts: ['contact_import_part.import_id', 'contact_rejected_part.import_id'],
    },
  },
  contact_import_part: deleted('data'),
  contact_rejected_part: deleted('data'),
  contact_row: deleted('cells matched'),
  contact_scroll: deleted('fingerprint'),
  contact_scroll_page: deleted('last_key'),
  // The ids of WhatsApp, in `provider_reference`, contain the number.
  delivery: redacted(
    'recipient recipient_given substitutions sealed_body error_message provider_reference',
    'provider error_code quiet_by refused_by unanswered_by resolution cost_currency',
  ),
  delivery_poll: none('provider'),
  delivery_attempt: redacted('error_message', 'provider outcome error_code cost_currency'),
  dnd_number: kept('phone'),
  help_answer: { ...deleted('phone'), rows: { section: 'help_answers' } },
  // The client chooses the key.
  idempotency_claim: redacted('answer_body key', 'method path fingerprint answer_type'),
  inbound_number: none('number provider'),
  inbound_request: redacted('sealed_content fault', 'provider digest method content_type'),
  incoming_message: {
    ...deleted('sender text sealed_text', 'number type provider provider_reference'),
    rows: { section: 'received_messages' },
  },
  last_keyword: {
    ...kept('phone'),
    rows: { section: 'stop_and_start', key: `(phone || ' ' || channel::text)` },
  },
  lease_holder: none('app host'),
  ledger_movement: kept('note'),
  link_click: deleted('code'),
  live_finding: deleted('phone operator country line_type', 'provider'),
  lookup_batch: {
    ...deleted('phones list', 'reason'),
    rows: { section: 'lookup_batches', parts: ['lookup_batch_part.batch_id'] },
  },
  lookup_batch_part: deleted('data'),
  lookup_tally: none('provider currency'),
  message: redacted(
    'recipients content personalisation external_ref callback_url sealed_text',
    'sender template_id template_provider_name template_language template_variables encoding request_id category',
  ),
  message_expansion: kept('list', 'phone_column error_message charged_prices'),
  opt_out: { ...kept('phone'), rows: { section: 'opt_outs' } },
  money_limit: none('name'),
  operator_login: none('name login confirmed_by'),
  organisation: none('default_sender settings'),
  organisation_price: none('prefix category'),
  otp: redacted('recipient recipient_given sealed_token', 'hmac request_id'),
  otp_verification: redacted('recipient'),
  outbox_message: { ...deleted('recipient sealed_text', 'sender outcome'), rows: { section: 'test_outbox' } },
  parked_report: kept('provider_reference', 'provider error_code cost_currency'),
  payment_reference: none('reference'),
  ported_number: kept('phone operator'),
  price: none('prefix category'),
  provider: none('name kind settings sealed_secrets sealed_token'),
  provider_health: none('error_code credit_currency'),
  provider_reference: redacted('reference', 'provider error_code cost_currency'),
  provider_template: none('provider name language status category reason'),
  registry_import: none('source digest'),
  route: none('category prefix country operator'),
  sender: none('name'),
  sender_registration: none('provider sender originator note'),
  simulated_message: deleted('recipient', 'outcome'),
  simulated_top_up: deleted('recipient', 'network outcome'),
  smartlist: kept('filters', 'name'),
  template: none('name body provider_name language variables'),
  tracked_link: deleted('code url sealed_url'),
  whatsapp_receiver: none('provider'),
  unapproved_amount: none('login'),
  whatsapp_window: {
    ...deleted('phone', 'provider'),
    rows: { section: 'whatsapp_windows', key: `(phone || ' ' || provider)` },
  },
};
