import { type AppName, appNames } from '@gangan/protocol';

/** Makes an object with one value for each app. */
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
  | `INSERT (${string})`
  | `UPDATE (${string})`;

export type Grants = Readonly<Record<string, readonly Privilege[]>>;

/** A row lock (`FOR UPDATE`) needs UPDATE too. */
export const readAndWrite: readonly Privilege[] = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];

/** Every app compares the migrations when it starts. */
const everyApp: Grants = { _prisma_migrations: ['SELECT'] };

/** Money moves only through functions, which are listed in `functionGrants`. Only the owner changes their default limits. */
export const movesMoney: Grants = {
  money_limit: ['SELECT'],
  organisation: ['SELECT'],
  ledger_account: ['SELECT'],
  ledger_movement: ['SELECT'],
};

/** For apps that have leases, and take over those of dead processes. */
const holdsLeases: Grants = { lease_holder: readAndWrite };

/** For apps that read whether an organisation or its account is suspended. */
const readsStatus: Grants = { organisation: ['SELECT'], account: ['SELECT (id, status)'] };

/** For apps that read how long data of an organisation is kept. */
const readsRetention: Grants = { organisation_retention: ['SELECT'] };

/** For apps that decide which providers a delivery goes to. */
const readsRoutes: Grants = {
  route: ['SELECT'],
  route_target: ['SELECT'],
  provider_template: ['SELECT'],
  sender_registration: ['SELECT'],
  ported_number: ['SELECT'],
  registry_import: ['SELECT'],
};

/** For apps that add callbacks; only the callback worker reads their content. */
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
    response_tally: readAndWrite,
    // This column shows what a movement of money was for.
    message: ['SELECT (id)'],
    otp: ['SELECT (id)'],
    delivery: ['SELECT (id, message_id, otp_id)'],
    ledger_account: ['SELECT'],
    ledger_movement: ['SELECT'],
    payment_reference: ['SELECT'],
    price: ['SELECT'],
    organisation_price: ['SELECT'],
  },
  messaging: {
    ...everyApp,
    ...holdsLeases,
    ...movesMoney,
    ...readsStatus,
    ...readsRetention,
    sender: ['SELECT'],
    price: ['SELECT'],
    organisation_price: ['SELECT'],
    template: readAndWrite,
    opt_out: ['SELECT', 'INSERT', 'DELETE'],
    inbound_number: ['SELECT'],
    incoming_message: readAndWrite,
    whatsapp_window: readAndWrite,
    whatsapp_receiver: readAndWrite,
    help_answer: readAndWrite,
    last_keyword: readAndWrite,
    message: readAndWrite,
    message_change: readAndWrite,
    message_expansion: ['SELECT', 'INSERT', 'UPDATE'],
    delivery: readAndWrite,
    delivery_attempt: ['SELECT', 'INSERT', 'UPDATE'],
    delivery_poll: readAndWrite,
    parked_report: readAndWrite,
    // Its rows are removed with their delivery.
    provider_reference: ['SELECT', 'INSERT', 'UPDATE'],
    inbound_request: readAndWrite,
    simulated_message: readAndWrite,
    outbox_message: readAndWrite,
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
    ...readsRetention,
    price: ['SELECT'],
    organisation_price: ['SELECT'],
    otp: readAndWrite,
    otp_verification: ['SELECT', 'INSERT'],
    otp_spend: ['SELECT', 'DELETE'],
    ...countsAndAddsCallbacks,
    delivery: ['SELECT', 'INSERT'],
    ...readsRoutes,
    // The columns show whether there is a provider, but not its settings and secrets.
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
    organisation_price: ['SELECT'],
    registry_import: ['SELECT'],
    ported_number: ['SELECT'],
    dnd_number: ['SELECT'],
    live_finding: readAndWrite,
    lookup_tally: ['SELECT', 'INSERT', 'UPDATE'],
    lookup_reservation: readAndWrite,
    lookup_batch: readAndWrite,
    // Its rows are removed with their batch.
    lookup_batch_part: ['SELECT', 'INSERT'],
    provider: ['SELECT'],
    provider_health: ['SELECT', 'INSERT', 'UPDATE'],
  },
  contacts: {
    ...everyApp,
    ...holdsLeases,
    ...readsRetention,
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
    // Its rows are removed with their import.
    contact_rejected_part: ['SELECT', 'INSERT'],
    contact_export: readAndWrite,
    contact_export_part: ['SELECT', 'INSERT', 'DELETE'],
    // The contacts worker logs the heads of the audit log once a day.
    audit_chain: ['SELECT', 'UPDATE (logged_number, logged_at)'],
    // Contact rows show whether their numbers have opted out.
    opt_out: ['SELECT (organisation_id, phone, channel)'],
    ...countsAndAddsCallbacks,
  },
  callback: {
    ...everyApp,
    ...holdsLeases,
    ...readsRetention,
    organisation: ['SELECT (id, waiting_callbacks, restricted_callbacks)'],
    callback: readAndWrite,
    callback_attempt: ['SELECT', 'INSERT', 'UPDATE'],
    callback_host: readAndWrite,
    callback_secret: ['SELECT'],
    callback_endpoint: readAndWrite,
    callback_endpoint_secret: readAndWrite,
    // The columns have the threshold of `balance.low`, not the balance.
    ledger_account: ['SELECT (id, organisation_id, kind, low_balance_kobo)', 'UPDATE (low_balance_kobo)'],
  },
};

/** The functions that an app may call. One that is in no list is called by other functions only. */
export const functionGrants: Readonly<Partial<Record<AppName, readonly string[]>>> = {
  gateway: ['store_unverified'],
  messaging: ['lock_wallets', 'charge_message', 'refund_money'],
  otp: ['lock_wallets', 'charge_otp'],
  airtime: ['lock_wallets', 'reserve_airtime', 'post_airtime', 'void_airtime', 'lose_money'],
  lookup: ['charge_lookup', 'reserve_lookup', 'post_lookup', 'void_lookup'],
};

/** Sequences from which an app draws ids; an identity column needs no grant. */
export const sequenceGrants: Readonly<Partial<Record<AppName, readonly string[]>>> = {
  contacts: ['contact_tally_id_seq', 'contact_size_tally_id_seq'],
};
