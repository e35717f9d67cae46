import { type Grants, movesMoney, readAndWrite } from './app-grants.js';

/** What `pnpm admin` may do as a member of the role `operator`: it can add to the audit log, not change it. */
export const operatorGrants: Grants = {
  ...movesMoney,
  ledger_account: ['SELECT', 'INSERT', 'UPDATE (low_balance_kobo)'],
  account: ['SELECT', 'INSERT', 'UPDATE'],
  organisation: [
    'SELECT',
    'INSERT (id, account_id, mode, status, default_sender, registered_senders_only, restricted_callbacks, fair_keys)',
    'INSERT (settings, created_at, updated_at)',
    // The function `set_limits` changes the limits.
    'UPDATE (status, default_sender, registered_senders_only, restricted_callbacks, fair_keys, settings, updated_at)',
  ],
  api_key: ['SELECT', 'INSERT', 'UPDATE'],
  callback_secret: ['SELECT', 'INSERT', 'UPDATE'],
  sender: ['SELECT', 'INSERT', 'DELETE'],
  opt_out: ['SELECT', 'INSERT', 'DELETE'],
  inbound_number: ['SELECT', 'INSERT', 'DELETE'],
  whatsapp_receiver: ['SELECT', 'DELETE'],
  payment_reference: ['SELECT'],
  // The function `set_price` changes prices.
  price: ['SELECT'],
  organisation_price: ['SELECT'],
  organisation_retention: readAndWrite,
  provider: readAndWrite,
  provider_health: readAndWrite,
  route: readAndWrite,
  route_target: readAndWrite,
  airtime_route: readAndWrite,
  airtime_product: ['SELECT', 'UPDATE (active)'],
  airtime_catalogue: readAndWrite,
  provider_template: readAndWrite,
  sender_registration: readAndWrite,
  // The commands `inbound replay`, `secrets reseal` and `data erase` change these columns, but not `unverified_bytes`.
  inbound_request: [
    'SELECT',
    'UPDATE (sealed_content, fault, state, attempt, unfinished_claims, next_attempt_at)',
  ],
  // The functions of operators write approvals.
  approval: ['SELECT'],
  approval_setting: ['SELECT'],
  operator_login: ['SELECT'],
  unapproved_amount: ['SELECT'],
  audit_log: ['SELECT', 'INSERT'],
  // Triggers write the chains.
  audit_chain: ['SELECT'],
  audit_link: ['SELECT'],
  registry_import: readAndWrite,
  // An import updates the statistics of the table.
  dnd_number: [...readAndWrite, 'MAINTAIN'],
  ported_number: [...readAndWrite, 'MAINTAIN'],
  callback: ['SELECT', 'UPDATE', 'DELETE'],
  callback_attempt: ['SELECT'],
  callback_host: ['SELECT'],
  callback_endpoint: ['SELECT'],
  callback_endpoint_secret: ['SELECT', 'UPDATE (sealed_secret)'],
  lease_holder: ['SELECT'],
  airtime_purchase: [
    'SELECT',
    'UPDATE (recipient, recipient_given, error_message, external_ref, callback_url, updated_at)',
  ],
  // The command `limits usage` sums the tallies; a trigger adds one when rows or smartlists are erased.
  response_tally: ['SELECT'],
  contact_tally: ['SELECT', 'INSERT'],
  contact_size_tally: ['SELECT', 'INSERT'],
  // The command `secrets reseal` changes the sealed columns, `data erase` all of these.
  delivery: [
    'SELECT',
    'UPDATE (sealed_body, recipient, recipient_given, substitutions, error_message, provider_reference)',
  ],
  otp: ['SELECT', 'UPDATE (sealed_token, recipient, recipient_given)'],
  message: [
    'SELECT',
    'UPDATE (sealed_text, recipients, content, personalisation, external_ref, callback_url)',
  ],
  incoming_message: ['SELECT', 'UPDATE (sealed_text)', 'DELETE'],
  tracked_link: ['SELECT', 'UPDATE (sealed_url)', 'DELETE'],
  outbox_message: ['SELECT', 'UPDATE (sealed_text)', 'DELETE'],
  message_expansion: ['SELECT'],
  // The command `report` reads the attempts.
  delivery_attempt: ['SELECT', 'UPDATE (error_message)'],
  provider_reference: ['SELECT', 'UPDATE (reference)'],
  lookup_tally: ['SELECT'],
  // The command `data export` reads the clicks, `data erase` deletes them.
  link_click: ['SELECT'],
  otp_verification: ['SELECT', 'UPDATE (recipient)'],
  simulated_message: ['SELECT', 'DELETE'],
  simulated_top_up: ['SELECT', 'DELETE'],
  help_answer: ['SELECT', 'DELETE'],
  last_keyword: ['SELECT', 'DELETE'],
  whatsapp_window: ['SELECT', 'DELETE'],
  live_finding: ['SELECT', 'DELETE'],
  lookup_batch: ['SELECT', 'DELETE'],
  lookup_batch_part: ['SELECT'],
  contact_table: ['SELECT'],
  contact_column: ['SELECT'],
  contact_row: ['SELECT', 'UPDATE (cells, matched, updated_at)', 'DELETE'],
  contact_import: ['SELECT', 'DELETE'],
  contact_import_part: ['SELECT'],
  contact_rejected_part: ['SELECT'],
  contact_export: ['SELECT', 'DELETE'],
  contact_export_part: ['SELECT'],
  contact_scroll: ['SELECT', 'DELETE'],
  contact_scroll_page: ['SELECT'],
  smartlist: ['SELECT', 'DELETE'],
  idempotency_claim: ['SELECT', 'UPDATE (answer_status, answer_type, answer_body, answer_sealed)'],
  // The command `messages show` reads the changes.
  message_change: ['SELECT'],
};

/** The functions that operators may call. Those that change something check approvals and write the audit log. */
export const operatorFunctions: readonly string[] = [
  'book_money',
  'set_price',
  'set_limits',
  'resolve_purchase',
  'resolve_unanswered',
  'set_approval_limit',
  'decide_request',
  'confirm_operator',
  'is_operator',
];

/** The sequences of the tallies, from which operators draw ids. */
export const operatorSequences: readonly string[] = ['contact_tally_id_seq', 'contact_size_tally_id_seq'];
