-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateEnum
CREATE TYPE "airtime_state" AS ENUM ('pending', 'submitting', 'sent', 'success', 'failed', 'error', 'duplicate');

-- CreateEnum
CREATE TYPE "ledger_account_kind" AS ENUM ('wallet', 'reserved', 'revenue', 'loss', 'funding');

-- CreateEnum
CREATE TYPE "ledger_transaction_kind" AS ENUM ('top_up', 'charge', 'refund', 'reserve', 'post', 'void', 'loss', 'adjustment');

-- CreateEnum
CREATE TYPE "priced_service" AS ENUM ('sms', 'whatsapp', 'lookup');

-- CreateEnum
CREATE TYPE "callback_state" AS ENUM ('pending', 'delivered', 'failed', 'gone');

-- CreateEnum
CREATE TYPE "contact_transfer_state" AS ENUM ('uploading', 'queued', 'running', 'done', 'failed');

-- CreateEnum
CREATE TYPE "registry" AS ENUM ('ported', 'dnd');

-- CreateEnum
CREATE TYPE "registry_import_mode" AS ENUM ('replace', 'merge');

-- CreateEnum
CREATE TYPE "registry_import_state" AS ENUM ('loading', 'active', 'superseded', 'failed');

-- CreateEnum
CREATE TYPE "channel" AS ENUM ('sms', 'whatsapp');

-- CreateEnum
CREATE TYPE "delivery_lane" AS ENUM ('sms', 'otp');

-- CreateEnum
CREATE TYPE "delivery_state" AS ENUM ('queued', 'submitting', 'sent', 'delivered', 'undelivered', 'expired', 'rejected', 'failed');

-- CreateEnum
CREATE TYPE "expansion_state" AS ENUM ('expanding', 'done', 'failed');

-- CreateEnum
CREATE TYPE "tenant_status" AS ENUM ('active', 'suspended');

-- CreateEnum
CREATE TYPE "organisation_mode" AS ENUM ('live', 'test');

-- CreateEnum
CREATE TYPE "otp_outcome" AS ENUM ('verified', 'mismatch', 'exhausted', 'ended', 'undeliverable', 'expired', 'revoked', 'already_verified', 'capped');

-- CreateTable
CREATE TABLE "airtime_purchase" (
    "id" UUID NOT NULL,
    "organisation_id" UUID NOT NULL,
    "network" VARCHAR(32) NOT NULL,
    "recipient" VARCHAR(16) NOT NULL,
    "recipient_given" TEXT NOT NULL,
    "amount_kobo" BIGINT NOT NULL,
    "balance_before_kobo" BIGINT NOT NULL,
    "state" "airtime_state" NOT NULL DEFAULT 'pending',
    "refunded" BOOLEAN NOT NULL DEFAULT false,
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "submitted_at" TIMESTAMPTZ(3),
    "provider" TEXT,
    "provider_reference" TEXT,
    "error_code" TEXT,
    "error_message" TEXT,
    "resolution" "airtime_state",
    "external_ref" VARCHAR(255),
    "callback_url" VARCHAR(2048),
    "request_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3),

    CONSTRAINT "airtime_purchase_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "simulated_top_up" (
    "id" UUID NOT NULL DEFAULT uuidv7(),
    "reference" UUID NOT NULL,
    "network" VARCHAR(32) NOT NULL,
    "recipient" VARCHAR(16) NOT NULL,
    "amount_kobo" BIGINT NOT NULL,
    "outcome" VARCHAR(16) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "simulated_top_up_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ledger_account" (
    "id" UUID NOT NULL,
    "organisation_id" UUID NOT NULL,
    "kind" "ledger_account_kind" NOT NULL,
    "balance" BIGINT,

    CONSTRAINT "ledger_account_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ledger_transaction" (
    "id" UUID NOT NULL,
    "organisation_id" UUID NOT NULL,
    "kind" "ledger_transaction_kind" NOT NULL,
    "subject_id" UUID NOT NULL,
    "note" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ledger_transaction_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ledger_entry" (
    "transaction_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "amount" BIGINT NOT NULL,
    "balance_after" BIGINT,

    CONSTRAINT "ledger_entry_pkey" PRIMARY KEY ("transaction_id","account_id")
);

-- CreateTable
CREATE TABLE "price" (
    "service" "priced_service" NOT NULL,
    "prefix" VARCHAR(15) NOT NULL,
    "kobo" BIGINT NOT NULL,

    CONSTRAINT "price_pkey" PRIMARY KEY ("service","prefix")
);

-- CreateTable
CREATE TABLE "callback" (
    "id" UUID NOT NULL,
    "organisation_id" UUID NOT NULL,
    "type" VARCHAR(64) NOT NULL,
    "resource_id" UUID NOT NULL,
    "url" VARCHAR(2048) NOT NULL,
    "host" VARCHAR(2048) NOT NULL,
    "body" TEXT NOT NULL,
    "state" "callback_state" NOT NULL DEFAULT 'pending',
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "earlier_attempts" INTEGER NOT NULL DEFAULT 0,
    "due_since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "next_attempt_at" TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP,
    "leased_until" TIMESTAMPTZ(3),
    "request_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "callback_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "callback_attempt" (
    "callback_id" UUID NOT NULL,
    "attempt" INTEGER NOT NULL,
    "status" SMALLINT,
    "error" TEXT,
    "answer" BYTEA,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "callback_attempt_pkey" PRIMARY KEY ("callback_id","attempt")
);

-- CreateTable
CREATE TABLE "callback_host" (
    "organisation_id" UUID NOT NULL,
    "host" VARCHAR(2048) NOT NULL,
    "pace_ms" INTEGER NOT NULL,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "open_until" TIMESTAMPTZ(3),
    "failing_since" TIMESTAMPTZ(3),
    "reported_at" TIMESTAMPTZ(3),
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "callback_host_pkey" PRIMARY KEY ("organisation_id","host")
);

-- CreateTable
CREATE TABLE "contact_table" (
    "id" UUID NOT NULL,
    "organisation_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3),

    CONSTRAINT "contact_table_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "contact_column" (
    "id" UUID NOT NULL,
    "table_id" UUID NOT NULL,
    "name" VARCHAR(255) NOT NULL,
    "type" VARCHAR(16) NOT NULL,
    "options" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "position" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "removed_at" TIMESTAMPTZ(3),

    CONSTRAINT "contact_column_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "contact_row" (
    "id" UUID NOT NULL,
    "table_id" UUID NOT NULL,
    "cells" JSONB NOT NULL DEFAULT '{}',
    "matched" JSONB NOT NULL DEFAULT '{}',
    "created_xid" xid8 DEFAULT pg_current_xact_id(),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "contact_row_pkey" PRIMARY KEY ("table_id","id")
);

-- CreateTable
CREATE TABLE "contact_tally" (
    "id" BIGSERIAL NOT NULL,
    "table_id" UUID NOT NULL,
    "delta" INTEGER NOT NULL,
    "summed" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "contact_tally_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "smartlist" (
    "id" UUID NOT NULL,
    "table_id" UUID NOT NULL,
    "name" VARCHAR(255) NOT NULL,
    "filters" JSONB NOT NULL DEFAULT '[]',
    "everyone" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3),

    CONSTRAINT "smartlist_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "contact_scroll" (
    "id" UUID NOT NULL,
    "table_id" UUID NOT NULL,
    "fingerprint" BYTEA NOT NULL,
    "snapshot" pg_snapshot NOT NULL DEFAULT pg_current_snapshot(),
    "per_page" INTEGER NOT NULL,
    "count_total" INTEGER NOT NULL,
    "bounded" BOOLEAN NOT NULL DEFAULT false,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "contact_scroll_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "contact_scroll_page" (
    "scroll_id" UUID NOT NULL,
    "page" INTEGER NOT NULL,
    "last_id" UUID NOT NULL,

    CONSTRAINT "contact_scroll_page_pkey" PRIMARY KEY ("scroll_id","page")
);

-- CreateTable
CREATE TABLE "contact_import" (
    "id" UUID NOT NULL,
    "table_id" UUID NOT NULL,
    "state" "contact_transfer_state" NOT NULL DEFAULT 'uploading',
    "delimiter" VARCHAR(1) NOT NULL,
    "columns" UUID[],
    "upsert_column_id" UUID,
    "bytes" BIGINT NOT NULL DEFAULT 0,
    "taken" BIGINT NOT NULL DEFAULT 0,
    "line" INTEGER NOT NULL DEFAULT 0,
    "lines" INTEGER NOT NULL DEFAULT 0,
    "created" INTEGER NOT NULL DEFAULT 0,
    "updated" INTEGER NOT NULL DEFAULT 0,
    "rejected" INTEGER NOT NULL DEFAULT 0,
    "problems" JSONB NOT NULL DEFAULT '[]',
    "reason" TEXT,
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "stalls" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "heard_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "contact_import_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "contact_import_part" (
    "import_id" UUID NOT NULL,
    "begins" BIGINT NOT NULL,
    "data" BYTEA NOT NULL,

    CONSTRAINT "contact_import_part_pkey" PRIMARY KEY ("import_id","begins")
);

-- CreateTable
CREATE TABLE "contact_export" (
    "id" UUID NOT NULL,
    "table_id" UUID NOT NULL,
    "state" "contact_transfer_state" NOT NULL DEFAULT 'queued',
    "filters" JSONB NOT NULL DEFAULT '[]',
    "columns" JSONB NOT NULL,
    "snapshot" pg_snapshot NOT NULL DEFAULT pg_current_snapshot(),
    "last_id" UUID,
    "rows" INTEGER NOT NULL DEFAULT 0,
    "rows_total" INTEGER,
    "parts" INTEGER NOT NULL DEFAULT 0,
    "bytes" BIGINT NOT NULL DEFAULT 0,
    "reason" TEXT,
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "stalls" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "contact_export_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "contact_export_part" (
    "export_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "data" BYTEA NOT NULL,

    CONSTRAINT "contact_export_part_pkey" PRIMARY KEY ("export_id","number")
);

-- CreateTable
CREATE TABLE "registry_import" (
    "id" UUID NOT NULL,
    "registry" "registry" NOT NULL,
    "mode" "registry_import_mode" NOT NULL,
    "state" "registry_import_state" NOT NULL DEFAULT 'loading',
    "source" TEXT NOT NULL,
    "digest" BYTEA,
    "lines" INTEGER NOT NULL DEFAULT 0,
    "rejected" INTEGER NOT NULL DEFAULT 0,
    "cleared" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "registry_import_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ported_number" (
    "phone" VARCHAR(16) NOT NULL,
    "import_id" UUID NOT NULL,
    "operator" VARCHAR(64) NOT NULL,

    CONSTRAINT "ported_number_pkey" PRIMARY KEY ("phone","import_id")
);

-- CreateTable
CREATE TABLE "dnd_number" (
    "phone" VARCHAR(16) NOT NULL,
    "import_id" UUID NOT NULL,

    CONSTRAINT "dnd_number_pkey" PRIMARY KEY ("phone","import_id")
);

-- CreateTable
CREATE TABLE "live_finding" (
    "phone" VARCHAR(16) NOT NULL,
    "provider" VARCHAR(100) NOT NULL,
    "operator" VARCHAR(64),
    "country" VARCHAR(2),
    "ported" BOOLEAN,
    "dnd" BOOLEAN,
    "number_until" TIMESTAMPTZ(3),
    "dnd_until" TIMESTAMPTZ(3),
    "asking_until" TIMESTAMPTZ(3),
    "asking_by" UUID,
    "kept_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "live_finding_pkey" PRIMARY KEY ("phone")
);

-- CreateTable
CREATE TABLE "lookup_reservation" (
    "id" UUID NOT NULL,
    "organisation_id" UUID NOT NULL,
    "told" BOOLEAN NOT NULL DEFAULT false,
    "due_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "lookup_reservation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sender" (
    "organisation_id" UUID NOT NULL,
    "name" VARCHAR(11) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "sender_pkey" PRIMARY KEY ("organisation_id","name")
);

-- CreateTable
CREATE TABLE "template" (
    "id" UUID NOT NULL,
    "organisation_id" UUID NOT NULL,
    "name" VARCHAR(255) NOT NULL,
    "channel" "channel" NOT NULL,
    "body" TEXT NOT NULL,
    "provider_name" TEXT,
    "language" VARCHAR(16),
    "variables" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3),

    CONSTRAINT "template_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "message" (
    "id" UUID NOT NULL,
    "organisation_id" UUID NOT NULL,
    "channel" "channel" NOT NULL,
    "sender" VARCHAR(11) NOT NULL,
    "recipients" TEXT[],
    "smartlist_id" UUID,
    "content" TEXT NOT NULL,
    "template_id" TEXT,
    "template_provider_name" TEXT,
    "template_language" VARCHAR(16),
    "template_variables" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "personalisation" JSONB,
    "external_ref" VARCHAR(255),
    "trackable" BOOLEAN NOT NULL DEFAULT false,
    "callback_url" VARCHAR(2048),
    "encoding" VARCHAR(8) NOT NULL,
    "length" INTEGER NOT NULL,
    "pages" SMALLINT NOT NULL,
    "charge_kobo" BIGINT NOT NULL,
    "balance_kobo" BIGINT NOT NULL,
    "request_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "message_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "message_expansion" (
    "message_id" UUID NOT NULL,
    "organisation_id" UUID NOT NULL,
    "state" "expansion_state" NOT NULL DEFAULT 'expanding',
    "list" TEXT NOT NULL,
    "last_row_id" UUID,
    "rows" INTEGER NOT NULL DEFAULT 0,
    "recipients" INTEGER NOT NULL DEFAULT 0,
    "duplicates" INTEGER NOT NULL DEFAULT 0,
    "without_number" INTEGER NOT NULL DEFAULT 0,
    "unsendable" INTEGER NOT NULL DEFAULT 0,
    "unaffordable" INTEGER NOT NULL DEFAULT 0,
    "charge_kobo" BIGINT NOT NULL DEFAULT 0,
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "stalls" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "message_expansion_pkey" PRIMARY KEY ("message_id")
);

-- CreateTable
CREATE TABLE "delivery" (
    "id" UUID NOT NULL,
    "organisation_id" UUID NOT NULL,
    "lane" "delivery_lane" NOT NULL,
    "message_id" UUID,
    "otp_id" UUID,
    "channel" "channel" NOT NULL,
    "recipient" VARCHAR(16) NOT NULL,
    "recipient_given" TEXT NOT NULL,
    "substitutions" JSONB,
    "state" "delivery_state" NOT NULL DEFAULT 'queued',
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "sealed_body" BYTEA,
    "pages" SMALLINT NOT NULL,
    "charge_kobo" BIGINT NOT NULL,
    "refunded" BOOLEAN NOT NULL DEFAULT false,
    "provider" TEXT,
    "provider_reference" TEXT,
    "error_code" TEXT,
    "error_message" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3),

    CONSTRAINT "delivery_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "delivery_attempt" (
    "delivery_id" UUID NOT NULL,
    "attempt" INTEGER NOT NULL,
    "provider" TEXT NOT NULL,
    "outcome" TEXT,
    "error_code" TEXT,
    "error_message" TEXT,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "delivery_attempt_pkey" PRIMARY KEY ("delivery_id","attempt")
);

-- CreateTable
CREATE TABLE "parked_report" (
    "provider" TEXT NOT NULL,
    "provider_reference" TEXT NOT NULL,
    "state" "delivery_state" NOT NULL,
    "error_code" TEXT,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "parked_report_pkey" PRIMARY KEY ("provider","provider_reference","state")
);

-- CreateTable
CREATE TABLE "simulated_message" (
    "id" UUID NOT NULL DEFAULT uuidv7(),
    "reference" UUID NOT NULL,
    "channel" "channel" NOT NULL,
    "recipient" VARCHAR(16) NOT NULL,
    "outcome" VARCHAR(16) NOT NULL,
    "report" "delivery_state",
    "report_due_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "simulated_message_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "tracked_link" (
    "code" VARCHAR(32) NOT NULL,
    "delivery_id" UUID NOT NULL,
    "position" SMALLINT NOT NULL,
    "url" TEXT NOT NULL,
    "clicks" INTEGER NOT NULL DEFAULT 0,
    "clicked_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tracked_link_pkey" PRIMARY KEY ("code")
);

-- CreateTable
CREATE TABLE "link_click" (
    "id" UUID NOT NULL,
    "code" VARCHAR(32) NOT NULL,
    "clicked_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "link_click_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "account" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "status" "tenant_status" NOT NULL DEFAULT 'active',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "account_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "organisation" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "mode" "organisation_mode" NOT NULL,
    "status" "tenant_status" NOT NULL DEFAULT 'active',
    "default_sender" VARCHAR(11) NOT NULL,
    "registered_senders_only" BOOLEAN NOT NULL DEFAULT false,
    "requests_per_second" INTEGER,
    "request_burst" INTEGER,
    "otp_sends_per_recipient" INTEGER,
    "otp_sends_per_prefix" INTEGER,
    "otp_tries_per_recipient" INTEGER,
    "otp_daily_spend_kobo" BIGINT,
    "settings" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3),

    CONSTRAINT "organisation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_key" (
    "id" UUID NOT NULL,
    "organisation_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "prefix" VARCHAR(16) NOT NULL,
    "hash" BYTEA NOT NULL,
    "scopes" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "last_used_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "replaced_by" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "callback_secret" (
    "id" UUID NOT NULL,
    "organisation_id" UUID NOT NULL,
    "secret" TEXT NOT NULL,
    "retires_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "callback_secret_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotency_claim" (
    "organisation_id" UUID NOT NULL,
    "key" VARCHAR(255) NOT NULL,
    "method" VARCHAR(8) NOT NULL,
    "path" VARCHAR(255) NOT NULL,
    "operation_id" UUID NOT NULL,
    "fingerprint" BYTEA NOT NULL,
    "attempt" INTEGER NOT NULL DEFAULT 1,
    "leased_until" TIMESTAMPTZ(3) NOT NULL,
    "answer_status" SMALLINT,
    "answer_type" TEXT,
    "answer_body" BYTEA,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_claim_pkey" PRIMARY KEY ("organisation_id","key","method","path")
);

-- CreateTable
CREATE TABLE "otp" (
    "id" UUID NOT NULL,
    "organisation_id" UUID NOT NULL,
    "recipient" VARCHAR(16) NOT NULL,
    "recipient_given" TEXT NOT NULL,
    "channel" "channel" NOT NULL,
    "hmac" BYTEA NOT NULL,
    "status" SMALLINT NOT NULL DEFAULT 1,
    "attempts" SMALLINT NOT NULL DEFAULT 0,
    "max_attempts" SMALLINT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "charge_kobo" BIGINT NOT NULL,
    "request_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "placed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3),

    CONSTRAINT "otp_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "otp_verification" (
    "id" UUID NOT NULL,
    "otp_id" UUID NOT NULL,
    "organisation_id" UUID NOT NULL,
    "recipient" VARCHAR(16) NOT NULL,
    "outcome" "otp_outcome" NOT NULL,
    "attempts_left" SMALLINT NOT NULL,
    "retry_after" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "otp_verification_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "otp_spend" (
    "organisation_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "kobo" BIGINT NOT NULL,

    CONSTRAINT "otp_spend_pkey" PRIMARY KEY ("organisation_id","day")
);

-- CreateIndex
CREATE INDEX "airtime_purchase_organisation_id_id_idx" ON "airtime_purchase"("organisation_id", "id");

-- CreateIndex
CREATE INDEX "airtime_purchase_organisation_id_recipient_created_at_idx" ON "airtime_purchase"("organisation_id", "recipient", "created_at");

-- CreateIndex
CREATE INDEX "simulated_top_up_reference_idx" ON "simulated_top_up"("reference");

-- CreateIndex
CREATE UNIQUE INDEX "ledger_account_organisation_id_kind_key" ON "ledger_account"("organisation_id", "kind");

-- CreateIndex
CREATE INDEX "ledger_transaction_organisation_id_kind_id_idx" ON "ledger_transaction"("organisation_id", "kind", "id");

-- CreateIndex
CREATE UNIQUE INDEX "ledger_transaction_subject_id_kind_key" ON "ledger_transaction"("subject_id", "kind");

-- CreateIndex
CREATE INDEX "ledger_entry_account_id_transaction_id_idx" ON "ledger_entry"("account_id", "transaction_id");

-- CreateIndex
CREATE INDEX "callback_organisation_id_id_idx" ON "callback"("organisation_id", "id");

-- CreateIndex
CREATE INDEX "callback_organisation_id_resource_id_idx" ON "callback"("organisation_id", "resource_id");

-- CreateIndex
CREATE UNIQUE INDEX "contact_table_organisation_id_key" ON "contact_table"("organisation_id");

-- CreateIndex
CREATE INDEX "contact_column_table_id_idx" ON "contact_column"("table_id");

-- CreateIndex
CREATE INDEX "contact_tally_table_id_idx" ON "contact_tally"("table_id");

-- CreateIndex
CREATE UNIQUE INDEX "smartlist_table_id_name_key" ON "smartlist"("table_id", "name");

-- CreateIndex
CREATE INDEX "contact_scroll_table_id_idx" ON "contact_scroll"("table_id");

-- CreateIndex
CREATE INDEX "contact_scroll_expires_at_idx" ON "contact_scroll"("expires_at");

-- CreateIndex
CREATE INDEX "contact_import_table_id_id_idx" ON "contact_import"("table_id", "id");

-- CreateIndex
CREATE INDEX "contact_export_table_id_id_idx" ON "contact_export"("table_id", "id");

-- CreateIndex
CREATE INDEX "registry_import_registry_state_idx" ON "registry_import"("registry", "state");

-- CreateIndex
CREATE INDEX "ported_number_import_id_idx" ON "ported_number"("import_id");

-- CreateIndex
CREATE INDEX "dnd_number_import_id_idx" ON "dnd_number"("import_id");

-- CreateIndex
CREATE INDEX "live_finding_kept_until_idx" ON "live_finding"("kept_until");

-- CreateIndex
CREATE INDEX "lookup_reservation_due_at_idx" ON "lookup_reservation"("due_at");

-- CreateIndex
CREATE INDEX "template_organisation_id_id_idx" ON "template"("organisation_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "template_organisation_id_name_key" ON "template"("organisation_id", "name");

-- CreateIndex
CREATE INDEX "message_organisation_id_id_idx" ON "message"("organisation_id", "id");

-- CreateIndex
CREATE INDEX "parked_report_received_at_idx" ON "parked_report"("received_at");

-- CreateIndex
CREATE INDEX "simulated_message_reference_idx" ON "simulated_message"("reference");

-- CreateIndex
CREATE UNIQUE INDEX "tracked_link_delivery_id_position_key" ON "tracked_link"("delivery_id", "position");

-- CreateIndex
CREATE INDEX "link_click_code_id_idx" ON "link_click"("code", "id");

-- CreateIndex
CREATE UNIQUE INDEX "organisation_account_id_mode_key" ON "organisation"("account_id", "mode");

-- CreateIndex
CREATE UNIQUE INDEX "api_key_hash_key" ON "api_key"("hash");

-- CreateIndex
CREATE INDEX "api_key_organisation_id_id_idx" ON "api_key"("organisation_id", "id");

-- CreateIndex
CREATE INDEX "callback_secret_organisation_id_id_idx" ON "callback_secret"("organisation_id", "id");

-- CreateIndex
CREATE INDEX "idempotency_claim_created_at_idx" ON "idempotency_claim"("created_at");

-- CreateIndex
CREATE INDEX "otp_organisation_id_recipient_placed_at_idx" ON "otp"("organisation_id", "recipient", "placed_at");

-- CreateIndex
CREATE INDEX "otp_verification_otp_id_idx" ON "otp_verification"("otp_id");

-- AddForeignKey
ALTER TABLE "airtime_purchase" ADD CONSTRAINT "airtime_purchase_organisation_id_fkey" FOREIGN KEY ("organisation_id") REFERENCES "organisation"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ledger_account" ADD CONSTRAINT "ledger_account_organisation_id_fkey" FOREIGN KEY ("organisation_id") REFERENCES "organisation"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ledger_entry" ADD CONSTRAINT "ledger_entry_transaction_id_fkey" FOREIGN KEY ("transaction_id") REFERENCES "ledger_transaction"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ledger_entry" ADD CONSTRAINT "ledger_entry_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "ledger_account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "callback" ADD CONSTRAINT "callback_organisation_id_fkey" FOREIGN KEY ("organisation_id") REFERENCES "organisation"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "callback_attempt" ADD CONSTRAINT "callback_attempt_callback_id_fkey" FOREIGN KEY ("callback_id") REFERENCES "callback"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "callback_host" ADD CONSTRAINT "callback_host_organisation_id_fkey" FOREIGN KEY ("organisation_id") REFERENCES "organisation"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "contact_table" ADD CONSTRAINT "contact_table_organisation_id_fkey" FOREIGN KEY ("organisation_id") REFERENCES "organisation"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "contact_column" ADD CONSTRAINT "contact_column_table_id_fkey" FOREIGN KEY ("table_id") REFERENCES "contact_table"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "contact_row" ADD CONSTRAINT "contact_row_table_id_fkey" FOREIGN KEY ("table_id") REFERENCES "contact_table"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "smartlist" ADD CONSTRAINT "smartlist_table_id_fkey" FOREIGN KEY ("table_id") REFERENCES "contact_table"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "contact_scroll" ADD CONSTRAINT "contact_scroll_table_id_fkey" FOREIGN KEY ("table_id") REFERENCES "contact_table"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "contact_scroll_page" ADD CONSTRAINT "contact_scroll_page_scroll_id_fkey" FOREIGN KEY ("scroll_id") REFERENCES "contact_scroll"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "contact_import" ADD CONSTRAINT "contact_import_table_id_fkey" FOREIGN KEY ("table_id") REFERENCES "contact_table"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "contact_import_part" ADD CONSTRAINT "contact_import_part_import_id_fkey" FOREIGN KEY ("import_id") REFERENCES "contact_import"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "contact_export" ADD CONSTRAINT "contact_export_table_id_fkey" FOREIGN KEY ("table_id") REFERENCES "contact_table"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "contact_export_part" ADD CONSTRAINT "contact_export_part_export_id_fkey" FOREIGN KEY ("export_id") REFERENCES "contact_export"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ported_number" ADD CONSTRAINT "ported_number_import_id_fkey" FOREIGN KEY ("import_id") REFERENCES "registry_import"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "dnd_number" ADD CONSTRAINT "dnd_number_import_id_fkey" FOREIGN KEY ("import_id") REFERENCES "registry_import"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sender" ADD CONSTRAINT "sender_organisation_id_fkey" FOREIGN KEY ("organisation_id") REFERENCES "organisation"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "template" ADD CONSTRAINT "template_organisation_id_fkey" FOREIGN KEY ("organisation_id") REFERENCES "organisation"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "message" ADD CONSTRAINT "message_organisation_id_fkey" FOREIGN KEY ("organisation_id") REFERENCES "organisation"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "message_expansion" ADD CONSTRAINT "message_expansion_message_id_fkey" FOREIGN KEY ("message_id") REFERENCES "message"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "delivery" ADD CONSTRAINT "delivery_message_id_fkey" FOREIGN KEY ("message_id") REFERENCES "message"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "delivery" ADD CONSTRAINT "delivery_otp_id_fkey" FOREIGN KEY ("otp_id") REFERENCES "otp"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "delivery_attempt" ADD CONSTRAINT "delivery_attempt_delivery_id_fkey" FOREIGN KEY ("delivery_id") REFERENCES "delivery"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tracked_link" ADD CONSTRAINT "tracked_link_delivery_id_fkey" FOREIGN KEY ("delivery_id") REFERENCES "delivery"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "link_click" ADD CONSTRAINT "link_click_code_fkey" FOREIGN KEY ("code") REFERENCES "tracked_link"("code") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "organisation" ADD CONSTRAINT "organisation_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_organisation_id_fkey" FOREIGN KEY ("organisation_id") REFERENCES "organisation"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_replaced_by_fkey" FOREIGN KEY ("replaced_by") REFERENCES "api_key"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "callback_secret" ADD CONSTRAINT "callback_secret_organisation_id_fkey" FOREIGN KEY ("organisation_id") REFERENCES "organisation"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "idempotency_claim" ADD CONSTRAINT "idempotency_claim_organisation_id_fkey" FOREIGN KEY ("organisation_id") REFERENCES "organisation"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "otp" ADD CONSTRAINT "otp_organisation_id_fkey" FOREIGN KEY ("organisation_id") REFERENCES "organisation"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "otp_verification" ADD CONSTRAINT "otp_verification_otp_id_fkey" FOREIGN KEY ("otp_id") REFERENCES "otp"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "otp_spend" ADD CONSTRAINT "otp_spend_organisation_id_fkey" FOREIGN KEY ("organisation_id") REFERENCES "organisation"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

