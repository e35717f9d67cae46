import { SpendCategory } from '../generated/enums.js';

export const appNames = ['gateway', 'messaging', 'otp', 'airtime', 'lookup', 'contacts', 'callback'] as const;

export type AppName = (typeof appNames)[number];

/** One value for each app. */
export const perApp = <T>(valueOf: (app: AppName) => T): Readonly<Record<AppName, T>> =>
  Object.fromEntries(appNames.map((app) => [app, valueOf(app)])) as Record<AppName, T>;

/** A privilege on a table, or on some of its columns. */
export type Privilege =
  | 'SELECT'
  | 'INSERT'
  | 'UPDATE'
  | 'DELETE'
  | 'MAINTAIN'
  | `SELECT (${string})`
  | `UPDATE (${string})`;

type Grants = Readonly<Record<string, readonly Privilege[]>>;

/** A row lock (`FOR UPDATE`) needs UPDATE too. */
const readAndWrite: readonly Privilege[] = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];

/** Every app compares the migrations at its start. */
const everyApp: Grants = { _prisma_migrations: ['SELECT'] };

/** What a wallet has spent today. */
const counters = ['spent_on', ...Object.values(SpendCategory).map((category) => `${category}_spent_kobo`)];

/** Charges, refunds and reservations. Transactions and entries are never changed. Limits are columns of `organisation`. */
const movesMoney: Grants = {
  organisation: ['SELECT'],
  ledger_account: ['SELECT', `UPDATE (balance, ${counters.join(', ')})`],
  ledger_transaction: ['SELECT', 'INSERT'],
  ledger_entry: ['SELECT', 'INSERT'],
};

/** The app holds leases, and takes over those of dead processes. */
const holdsLeases: Grants = { lease_holder: readAndWrite };

/** Whether an organisation or its account is suspended. */
const readsStatus: Grants = { organisation: ['SELECT'], account: ['SELECT (id, status)'] };

/** Which providers a delivery goes to. */
const readsRoutes: Grants = {
  route: ['SELECT'],
  route_target: ['SELECT'],
  provider_template: ['SELECT'],
  sender_registration: ['SELECT'],
  ported_number: ['SELECT'],
  registry_import: ['SELECT'],
};

/** The content of callbacks is for the callback worker. */
const countsAndAddsCallbacks: Grants = {
  callback: ['SELECT (id, organisation_id, state)', 'INSERT'],
  callback_endpoint: ['SELECT'],
};

/** What each app may do with each table. A table that is missing for an app cannot be read by it. */
export const appGrants: Readonly<Record<AppName, Grants>> = {
  gateway: {
    ...everyApp,
    account: ['SELECT'],
    organisation: ['SELECT'],
    api_key: ['SELECT', 'UPDATE (last_used_at)'],
    idempotency_claim: readAndWrite,
    inbound_request: ['INSERT'],
    // What a movement of money was for.
    message: ['SELECT (id)'],
    otp: ['SELECT (id)'],
    delivery: ['SELECT (id, message_id, otp_id)'],
    ledger_account: ['SELECT'],
    ledger_transaction: ['SELECT'],
    ledger_entry: ['SELECT'],
  },
  messaging: {
    ...everyApp,
    ...holdsLeases,
    ...movesMoney,
    ...readsStatus,
    sender: ['SELECT'],
    price: ['SELECT'],
    template: readAndWrite,
    opt_out: ['SELECT', 'INSERT', 'DELETE'],
    inbound_number: ['SELECT'],
    incoming_message: readAndWrite,
    whatsapp_window: readAndWrite,
    whatsapp_receiver: readAndWrite,
    help_answer: readAndWrite,
    last_keyword: readAndWrite,
    message: readAndWrite,
    message_expansion: ['SELECT', 'INSERT', 'UPDATE'],
    delivery: readAndWrite,
    delivery_attempt: ['SELECT', 'INSERT', 'UPDATE'],
    parked_report: readAndWrite,
    // Removed with its delivery.
    provider_reference: ['SELECT', 'INSERT', 'UPDATE'],
    inbound_request: ['SELECT', 'UPDATE', 'DELETE'],
    simulated_message: readAndWrite,
    tracked_link: ['SELECT', 'INSERT', 'UPDATE'],
    link_click: readAndWrite,
    dnd_number: ['SELECT'],
    live_finding: ['SELECT'],
    // A failed delivery makes its OTP due.
    otp: ['SELECT', 'UPDATE (due_at)'],
    ...countsAndAddsCallbacks,
    provider: ['SELECT'],
    provider_health: ['SELECT', 'INSERT', 'UPDATE'],
    ...readsRoutes,
    // WhatsApp reports changes.
    provider_template: ['SELECT', 'INSERT', 'UPDATE'],
  },
  otp: {
    ...everyApp,
    ...movesMoney,
    ...readsStatus,
    price: ['SELECT'],
    otp: readAndWrite,
    otp_verification: ['SELECT', 'INSERT'],
    otp_spend: ['SELECT', 'DELETE'],
    ...countsAndAddsCallbacks,
    delivery: ['SELECT', 'INSERT'],
    ...readsRoutes,
    // Whether there is one; not its settings and secrets.
    provider: ['SELECT (id, name, organisation_id, domains, channels, enabled, registered_senders)'],
  },
  airtime: {
    ...everyApp,
    ...holdsLeases,
    ...movesMoney,
    ...readsStatus,
    airtime_purchase: ['SELECT', 'INSERT', 'UPDATE'],
    airtime_route: ['SELECT'],
    airtime_product: ['SELECT', 'INSERT', 'UPDATE'],
    airtime_catalogue: ['SELECT', 'INSERT', 'UPDATE'],
    provider: ['SELECT'],
    provider_health: ['SELECT', 'INSERT', 'UPDATE'],
    simulated_top_up: readAndWrite,
    ...countsAndAddsCallbacks,
  },
  lookup: {
    ...everyApp,
    ...holdsLeases,
    ...movesMoney,
    ...readsStatus,
    price: ['SELECT'],
    registry_import: ['SELECT'],
    ported_number: ['SELECT'],
    dnd_number: ['SELECT'],
    live_finding: readAndWrite,
    lookup_reservation: readAndWrite,
    lookup_batch: readAndWrite,
    // Removed with its batch.
    lookup_batch_part: ['SELECT', 'INSERT'],
    provider: ['SELECT'],
    provider_health: ['SELECT', 'INSERT', 'UPDATE'],
  },
  contacts: {
    ...everyApp,
    ...holdsLeases,
    organisation: ['SELECT (id, contact_rows, stored_bytes, unfinished_imports)'],
    contact_table: ['SELECT', 'INSERT', 'UPDATE'],
    contact_column: readAndWrite,
    contact_row: readAndWrite,
    contact_tally: readAndWrite,
    contact_size_tally: readAndWrite,
    smartlist: readAndWrite,
    contact_scroll: readAndWrite,
    contact_scroll_page: ['SELECT', 'INSERT'],
    contact_import: readAndWrite,
    contact_import_part: ['SELECT', 'INSERT', 'DELETE'],
    contact_export: readAndWrite,
    contact_export_part: ['SELECT', 'INSERT', 'DELETE'],
    // Rows show whether their numbers have opted out.
    opt_out: ['SELECT (organisation_id, phone, channel)'],
    ...countsAndAddsCallbacks,
  },
  callback: {
    ...everyApp,
    ...holdsLeases,
    organisation: ['SELECT (id, waiting_callbacks)'],
    callback: readAndWrite,
    callback_attempt: ['SELECT', 'INSERT', 'UPDATE'],
    callback_host: readAndWrite,
    callback_secret: ['SELECT'],
    callback_endpoint: readAndWrite,
    callback_endpoint_secret: readAndWrite,
    // The threshold of `balance.low`, not the balance.
    ledger_account: ['SELECT (id, organisation_id, kind, low_balance_kobo)', 'UPDATE (low_balance_kobo)'],
  },
};

/** Sequences from which an app draws ids; an identity column needs no grant. */
export const sequenceGrants: Readonly<Partial<Record<AppName, readonly string[]>>> = {
  contacts: ['contact_tally_id_seq', 'contact_size_tally_id_seq'],
};

/** What `pnpm admin` may do as a member of the role `operator`: it can add to the audit log, not change it. */
export const operatorGrants: Grants = {
  ...movesMoney,
  ledger_account: ['SELECT', 'INSERT', `UPDATE (balance, low_balance_kobo, ${counters.join(', ')})`],
  account: ['SELECT', 'INSERT', 'UPDATE'],
  organisation: ['SELECT', 'INSERT', 'UPDATE'],
  api_key: ['SELECT', 'INSERT', 'UPDATE'],
  callback_secret: ['SELECT', 'INSERT', 'UPDATE'],
  sender: ['SELECT', 'INSERT', 'DELETE'],
  opt_out: ['SELECT', 'INSERT'],
  inbound_number: ['SELECT', 'INSERT', 'DELETE'],
  whatsapp_receiver: ['SELECT', 'DELETE'],
  price: readAndWrite,
  provider: readAndWrite,
  provider_health: readAndWrite,
  route: readAndWrite,
  route_target: readAndWrite,
  airtime_route: readAndWrite,
  airtime_product: ['SELECT', 'UPDATE (active)'],
  airtime_catalogue: readAndWrite,
  provider_template: readAndWrite,
  sender_registration: readAndWrite,
  inbound_request: ['SELECT', 'UPDATE'],
  approval: ['SELECT', 'INSERT', 'UPDATE'],
  audit_log: ['SELECT', 'INSERT'],
  registry_import: readAndWrite,
  // An import updates the statistics.
  dnd_number: [...readAndWrite, 'MAINTAIN'],
  ported_number: [...readAndWrite, 'MAINTAIN'],
  callback: ['SELECT', 'UPDATE'],
  callback_attempt: ['SELECT'],
  callback_host: ['SELECT'],
  callback_endpoint: ['SELECT'],
  callback_endpoint_secret: ['SELECT', 'UPDATE (sealed_secret)'],
  lease_holder: ['SELECT'],
  airtime_purchase: ['SELECT', 'UPDATE'],
  // `limits usage`.
  contact_table: ['SELECT (id, organisation_id)'],
  contact_tally: ['SELECT'],
  contact_size_tally: ['SELECT'],
  contact_import: ['SELECT (id, table_id, state, bytes, taken)'],
  contact_export: ['SELECT (id, table_id, state, bytes)'],
  // `secrets reseal`.
  delivery: ['SELECT', 'UPDATE (sealed_body)'],
  otp: ['SELECT', 'UPDATE (sealed_token)'],
  message: ['SELECT', 'UPDATE (sealed_text)'],
  incoming_message: ['SELECT', 'UPDATE (sealed_text)'],
  tracked_link: ['SELECT', 'UPDATE (sealed_url)'],
  message_expansion: ['SELECT'],
  // `report`.
  delivery_attempt: ['SELECT'],
  provider_reference: ['SELECT'],
};
