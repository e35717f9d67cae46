// Generated from docs/openapi.json; `pnpm openapi` writes it.
export interface paths {
    "/airtime": {
        get: operations["airtimeList"];
    };
    "/airtime/buy": {
        post: operations["airtimeBuy"];
    };
    "/airtime/networks": {
        get: operations["airtimeNetworks"];
    };
    "/airtime/products": {
        get: operations["airtimeProducts"];
    };
    "/airtime/{id}": {
        get: operations["airtimeFind"];
    };
    "/balance": {
        get: operations["billingBalance"];
    };
    "/balance/threshold": {
        get: operations["billingThreshold"];
        patch: operations["billingChangeThreshold"];
    };
    "/callback-endpoints": {
        get: operations["endpointsList"];
        post: operations["endpointsCreate"];
    };
    "/callback-endpoints/{id}": {
        get: operations["endpointsFind"];
        delete: operations["endpointsRemove"];
        patch: operations["endpointsChange"];
    };
    "/callback-endpoints/{id}/recover": {
        post: operations["endpointsRecover"];
    };
    "/callback-endpoints/{id}/rotate-secret": {
        post: operations["endpointsRotateSecret"];
    };
    "/callback-endpoints/{id}/test": {
        post: operations["endpointsTest"];
    };
    "/callbacks": {
        get: operations["callbacksList"];
    };
    "/callbacks/{id}": {
        get: operations["callbacksFind"];
    };
    "/callbacks/{id}/resend": {
        post: operations["callbacksResend"];
    };
    "/healthz": {
        get: operations["healthLive"];
    };
    "/inbox": {
        get: operations["inboxList"];
    };
    "/inbox/{id}": {
        get: operations["inboxFind"];
    };
    "/l/{code}": {
        get: operations["linksFollow"];
    };
    "/ledger": {
        get: operations["billingLedger"];
    };
    "/lists/contact": {
        get: operations["contactRowsTable"];
    };
    "/lists/contact/columns": {
        post: operations["contactColumnsAdd"];
    };
    "/lists/contact/columns/{column_id}": {
        delete: operations["contactColumnsRemove"];
        patch: operations["contactColumnsChange"];
    };
    "/lists/contact/exports": {
        get: operations["exportsList"];
        post: operations["exportsCreate"];
    };
    "/lists/contact/exports/{id}": {
        get: operations["exportsFind"];
        delete: operations["exportsRemove"];
    };
    "/lists/contact/exports/{id}/file": {
        get: operations["exportsFile"];
    };
    "/lists/contact/imports": {
        get: operations["importsList"];
        post: operations["importsImport"];
    };
    "/lists/contact/imports/{id}": {
        get: operations["importsFind"];
    };
    "/lists/contact/imports/{id}/rejected": {
        get: operations["importsRejected"];
    };
    "/lists/contact/row/{row_id}": {
        get: operations["contactRowsFind"];
    };
    "/lists/contact/rows": {
        post: operations["contactRowsCreate"];
    };
    "/lists/contact/rows/query": {
        post: operations["contactRowsQuery"];
    };
    "/lists/contact/rows/{row_id}": {
        delete: operations["contactRowsRemove"];
        patch: operations["contactRowsPatch"];
    };
    "/lists/contact/smartlists": {
        get: operations["smartlistsList"];
        post: operations["smartlistsCreate"];
    };
    "/lists/contact/smartlists/{smartlist_id}": {
        get: operations["smartlistsFind"];
        delete: operations["smartlistsRemove"];
        patch: operations["smartlistsChange"];
    };
    "/lookup/batch": {
        get: operations["lookupListBatches"];
        post: operations["lookupCreateBatch"];
    };
    "/lookup/batch/{id}": {
        get: operations["lookupFindBatch"];
    };
    "/lookup/batch/{id}/file": {
        get: operations["lookupBatchFile"];
    };
    "/lookup/phone": {
        get: operations["lookupPhone"];
    };
    "/optouts": {
        get: operations["optOutsList"];
        post: operations["optOutsAdd"];
    };
    "/optouts/{id}": {
        delete: operations["optOutsRemove"];
    };
    "/otp/get-by-recipient": {
        get: operations["otpList"];
    };
    "/otp/request_token": {
        post: operations["otpRequest"];
    };
    "/otp/verify": {
        post: operations["otpVerify"];
    };
    "/otp/{id}": {
        get: operations["otpFind"];
        delete: operations["otpRevoke"];
    };
    "/otp/{id}/resend": {
        post: operations["otpResend"];
    };
    "/prices": {
        get: operations["billingPrices"];
    };
    "/readyz": {
        get: operations["healthReady"];
    };
    "/simulator/inbound": {
        post: operations["simulatorPlay"];
    };
    "/simulator/messages": {
        get: operations["simulatorMessages"];
    };
    "/sms": {
        get: operations["smsList"];
    };
    "/sms/estimate": {
        post: operations["smsEstimate"];
    };
    "/sms/send": {
        post: operations["smsSend"];
    };
    "/sms/{id}": {
        get: operations["smsFind"];
    };
    "/sms/{id}/cancel": {
        post: operations["smsCancel"];
    };
    "/sms/{id}/pause": {
        post: operations["smsPause"];
    };
    "/sms/{id}/resume": {
        post: operations["smsResume"];
    };
    "/templates": {
        get: operations["templatesList"];
        post: operations["templatesCreate"];
    };
    "/templates/{id}": {
        get: operations["templatesFind"];
        delete: operations["templatesRemove"];
        patch: operations["templatesChange"];
    };
}
export interface webhooks {
    "message.sent": {
        post: operations["messageSent"];
    };
    "message.delivered": {
        post: operations["messageDelivered"];
    };
    "message.read": {
        post: operations["messageRead"];
    };
    "message.undelivered": {
        post: operations["messageUndelivered"];
    };
    "message.failed": {
        post: operations["messageFailed"];
    };
    "message.expired": {
        post: operations["messageExpired"];
    };
    "message.rejected": {
        post: operations["messageRejected"];
    };
    "message.clicked": {
        post: operations["messageClicked"];
    };
    "message.canceled": {
        post: operations["messageCanceled"];
    };
    "message.expansion_failed": {
        post: operations["messageExpansion_failed"];
    };
    "message.received": {
        post: operations["messageReceived"];
    };
    "airtime.sent": {
        post: operations["airtimeSent"];
    };
    "airtime.success": {
        post: operations["airtimeSuccess"];
    };
    "airtime.failed": {
        post: operations["airtimeFailed"];
    };
    "airtime.error": {
        post: operations["airtimeError"];
    };
    "airtime.duplicate": {
        post: operations["airtimeDuplicate"];
    };
    "balance.low": {
        post: operations["balanceLow"];
    };
    "import.finished": {
        post: operations["importFinished"];
    };
    "recipient.opted_out": {
        post: operations["recipientOpted_out"];
    };
    "otp.sent": {
        post: operations["otpSent"];
    };
    "otp.verified": {
        post: operations["otpVerified"];
    };
    "otp.failed": {
        post: operations["otpFailed"];
    };
    "endpoint.test": {
        post: operations["endpointTest"];
    };
}
export interface components {
    schemas: {
        AddContactColumnRequest: {
            name: string;
            /** @enum {string} */
            type: "TEXT" | "NUMBER" | "DATE" | "PHONE NUMBER" | "EMAIL" | "URL" | "SELECT" | "MULTI SELECT";
            options?: string[];
        } & ({
            /** @enum {unknown} */
            type: "SELECT" | "MULTI SELECT";
            options: unknown;
        } | {
            /** @enum {unknown} */
            type: "TEXT" | "NUMBER" | "DATE" | "PHONE NUMBER" | "EMAIL" | "URL";
            options?: unknown;
        });
        AddOptOutRequest: {
            phone: string;
            /** @enum {string} */
            channel?: "sms" | "whatsapp";
        };
        AddedContactColumn: {
            id: string;
            columns: components["schemas"]["ContactColumn"][];
            created_datetime: string;
            updated_datetime?: string;
            column: components["schemas"]["ContactColumn"];
        };
        AirtimeCharge: {
            amount: number;
            available_balance: number;
            balance_before: number;
            refunded: boolean;
        };
        AirtimeMeta: {
            method: string;
            resource: string;
            charge: components["schemas"]["AirtimeCharge"];
        };
        AirtimeNetwork: {
            /** @enum {string} */
            name: "Airtel" | "MTN" | "Glo" | "9mobile" | "NTEL";
            minimum_amount: number;
            maximum_amount: number;
        };
        AirtimePage: {
            purchases: components["schemas"]["AirtimePurchase"][];
            meta: components["schemas"]["PageMeta"];
        };
        AirtimeProduct: {
            id: string;
            /** @enum {string} */
            network: "Airtel" | "MTN" | "Glo" | "9mobile" | "NTEL";
            name: string;
            size?: string;
            validity?: string;
            price: number;
        };
        AirtimeProductPage: {
            products: components["schemas"]["AirtimeProduct"][];
            meta: components["schemas"]["PageMeta"];
        };
        AirtimePurchase: {
            id: string;
            recipient: string;
            external_ref?: string;
            callback?: string;
            /** @enum {string} */
            status: "pending" | "sent" | "failed" | "error" | "success" | "duplicate";
            created_datetime: string;
            updated_datetime?: string;
            /** @enum {string} */
            network: "Airtel" | "MTN" | "Glo" | "9mobile" | "NTEL";
            product_id?: string;
            reason?: components["schemas"]["FailureReason"];
            meta: components["schemas"]["AirtimeMeta"];
        };
        Balance: {
            available_balance: number;
            reserved: number;
            currency: string;
        };
        BalanceCallbackData: {
            available_balance: number;
            threshold: number;
            currency: string;
        };
        BalanceThreshold: {
            threshold: number;
        };
        BuyAirtimeRequest: {
            /** @enum {string} */
            network: "Airtel" | "MTN" | "Glo" | "9mobile" | "NTEL";
            amount?: number;
            product_id?: string;
            recipient: string;
            callback?: string;
            external_ref?: string;
        } & ({
            amount: unknown;
        } | {
            product_id: unknown;
        });
        CallbackAttempt: {
            attempt: number;
            status?: number;
            reason?: components["schemas"]["FailureReason"];
            /** @deprecated */
            error?: string;
            answer?: string;
            started_datetime: string;
            ended_datetime?: string;
        };
        CallbackDetails: {
            id: string;
            /** @enum {string} */
            type: "message.sent" | "message.delivered" | "message.read" | "message.undelivered" | "message.failed" | "message.expired" | "message.rejected" | "message.clicked" | "message.canceled" | "message.expansion_failed" | "message.received" | "airtime.sent" | "airtime.success" | "airtime.failed" | "airtime.error" | "airtime.duplicate" | "balance.low" | "import.finished" | "recipient.opted_out" | "otp.sent" | "otp.verified" | "otp.failed" | "endpoint.test";
            resource_id: string;
            endpoint_id?: string;
            url: string;
            /** @enum {string} */
            status: "pending" | "delivered" | "failed" | "gone";
            attempt_count: number;
            created_datetime: string;
            next_attempt_datetime?: string;
            ended_datetime?: string;
            request_id: string;
            body: string;
            attempts: components["schemas"]["CallbackAttempt"][];
        };
        CallbackEndpoint: {
            id: string;
            url: string;
            events: string[];
            description?: string;
            enabled: boolean;
            created_datetime: string;
            updated_datetime?: string;
        };
        CallbackEndpoints: {
            endpoints: components["schemas"]["CallbackEndpoint"][];
            meta: components["schemas"]["RequestMeta"];
        };
        CallbackPage: {
            callbacks: components["schemas"]["CallbackSummary"][];
            meta: components["schemas"]["PageMeta"];
        };
        CallbackSummary: {
            id: string;
            /** @enum {string} */
            type: "message.sent" | "message.delivered" | "message.read" | "message.undelivered" | "message.failed" | "message.expired" | "message.rejected" | "message.clicked" | "message.canceled" | "message.expansion_failed" | "message.received" | "airtime.sent" | "airtime.success" | "airtime.failed" | "airtime.error" | "airtime.duplicate" | "balance.low" | "import.finished" | "recipient.opted_out" | "otp.sent" | "otp.verified" | "otp.failed" | "endpoint.test";
            resource_id: string;
            endpoint_id?: string;
            url: string;
            /** @enum {string} */
            status: "pending" | "delivered" | "failed" | "gone";
            attempt_count: number;
            created_datetime: string;
            next_attempt_datetime?: string;
            ended_datetime?: string;
        };
        CanceledCallbackData: {
            id: string;
            /** @enum {string} */
            channel: "sms" | "whatsapp";
            canceled: number;
            submitted: number;
            refunded: number;
            external_ref?: string;
            created_datetime: string;
            canceled_datetime: string;
            ended_datetime: string;
        };
        ChangeBalanceThreshold: {
            threshold: number;
        };
        ChangeContactColumnFields: {
            name?: string;
            options?: string[];
        } & {
            options?: unknown;
        };
        ChangeEndpointFields: {
            url?: string;
            events?: ("message.sent" | "message.delivered" | "message.read" | "message.undelivered" | "message.failed" | "message.expired" | "message.rejected" | "message.clicked" | "message.canceled" | "message.expansion_failed" | "message.received" | "airtime.sent" | "airtime.success" | "airtime.failed" | "airtime.error" | "airtime.duplicate" | "balance.low" | "import.finished" | "recipient.opted_out" | "otp.sent" | "otp.verified" | "otp.failed")[];
            description?: string;
            enabled?: boolean;
        };
        ChangeSmartlistFields: {
            name?: string;
            filters?: components["schemas"]["ContactFilter"][];
        };
        ChangeTemplateFields: {
            name?: string;
            /** @enum {string} */
            channel?: "sms" | "whatsapp";
            body?: string & unknown;
            provider_name?: string;
            language?: string;
            variables?: string[];
        };
        ContactCellsRequest: {
            columns: {
                [key: string]: string;
            };
        };
        ContactColumn: {
            id: string;
            name: string;
            /** @enum {string} */
            type: "TEXT" | "NUMBER" | "DATE" | "PHONE NUMBER" | "EMAIL" | "URL" | "SELECT" | "MULTI SELECT";
            options?: string[];
        };
        ContactExport: {
            id: string;
            /** @enum {string} */
            state: "queued" | "running" | "done" | "failed";
            rows: number;
            percent?: number;
            bytes: number;
            reason?: string;
            created_datetime: string;
            ended_datetime?: string;
        };
        ContactExportPage: {
            exports: components["schemas"]["ContactExport"][];
            meta: components["schemas"]["PageMeta"];
        };
        ContactFilter: {
            column_id?: string;
            name?: string;
            /** @enum {string} */
            operator?: "contain" | "not_contain" | "equal" | "not_equal" | "start_with" | "end_with" | "is_empty" | "is_not_empty" | "greater_than" | "less_than" | "between" | "before" | "after" | "in";
            value?: string;
            any?: components["schemas"]["ContactGroupedFilter"][];
            all?: components["schemas"]["ContactGroupedFilter"][];
        } & ({
            any: unknown;
            all?: unknown;
            column_id?: unknown;
            name?: unknown;
            operator?: unknown;
            value?: unknown;
        } | {
            all: unknown;
            any?: unknown;
            column_id?: unknown;
            name?: unknown;
            operator?: unknown;
            value?: unknown;
        } | {
            column_id: unknown;
            operator: unknown;
            value: unknown;
            any?: unknown;
            all?: unknown;
        } | {
            column_id: unknown;
            /** @enum {unknown} */
            operator: "is_empty" | "is_not_empty";
            any?: unknown;
            all?: unknown;
        } | {
            name: unknown;
            operator: unknown;
            value: unknown;
            any?: unknown;
            all?: unknown;
        } | {
            name: unknown;
            /** @enum {unknown} */
            operator: "is_empty" | "is_not_empty";
            any?: unknown;
            all?: unknown;
        });
        ContactGroupedFilter: {
            column_id?: string;
            name?: string;
            /** @enum {string} */
            operator?: "contain" | "not_contain" | "equal" | "not_equal" | "start_with" | "end_with" | "is_empty" | "is_not_empty" | "greater_than" | "less_than" | "between" | "before" | "after" | "in";
            value?: string;
            any?: components["schemas"]["ContactInnermostFilter"][];
            all?: components["schemas"]["ContactInnermostFilter"][];
        } & ({
            any: unknown;
            all?: unknown;
            column_id?: unknown;
            name?: unknown;
            operator?: unknown;
            value?: unknown;
        } | {
            all: unknown;
            any?: unknown;
            column_id?: unknown;
            name?: unknown;
            operator?: unknown;
            value?: unknown;
        } | {
            column_id: unknown;
            operator: unknown;
            value: unknown;
            any?: unknown;
            all?: unknown;
        } | {
            column_id: unknown;
            /** @enum {unknown} */
            operator: "is_empty" | "is_not_empty";
            any?: unknown;
            all?: unknown;
        } | {
            name: unknown;
            operator: unknown;
            value: unknown;
            any?: unknown;
            all?: unknown;
        } | {
            name: unknown;
            /** @enum {unknown} */
            operator: "is_empty" | "is_not_empty";
            any?: unknown;
            all?: unknown;
        });
        ContactImport: {
            id: string;
            /** @enum {string} */
            state: "uploading" | "queued" | "running" | "done" | "failed";
            columns: string[];
            upsert_column_id?: string;
            bytes: number;
            percent: number;
            lines: number;
            created: number;
            updated: number;
            rejected: number;
            problems: components["schemas"]["ContactImportProblem"][];
            rejected_file?: string;
            reason?: string;
            created_datetime: string;
            ended_datetime?: string;
        };
        ContactImportPage: {
            imports: components["schemas"]["ContactImport"][];
            meta: components["schemas"]["PageMeta"];
        };
        ContactImportProblem: {
            line: number;
            column_id?: string;
            message: string;
        };
        ContactInnermostFilter: {
            column_id?: string;
            name?: string;
            /** @enum {string} */
            operator: "contain" | "not_contain" | "equal" | "not_equal" | "start_with" | "end_with" | "is_empty" | "is_not_empty" | "greater_than" | "less_than" | "between" | "before" | "after" | "in";
            value?: string;
            any?: unknown;
            all?: unknown;
        } & ({
            column_id: unknown;
            operator: unknown;
            value: unknown;
        } | {
            column_id: unknown;
            /** @enum {unknown} */
            operator: "is_empty" | "is_not_empty";
        } | {
            name: unknown;
            operator: unknown;
            value: unknown;
        } | {
            name: unknown;
            /** @enum {unknown} */
            operator: "is_empty" | "is_not_empty";
        });
        ContactPageMeta: {
            method: string;
            resource: string;
            pagination: components["schemas"]["ContactPagination"];
        };
        ContactPagination: {
            /** @enum {string} */
            next_page: "true" | "false";
            /** @enum {string} */
            prev_page: "true" | "false";
            per_page: number;
            count_total: number;
            page_total: number;
            page: number;
            query_id: string;
        };
        ContactRow: {
            id: string;
            columns: {
                [key: string]: string;
            };
            opted_out?: ("sms" | "whatsapp")[];
            created_datetime: string;
            updated_datetime: string;
        };
        ContactRowAnswer: {
            row: components["schemas"]["ContactRow"];
            table: components["schemas"]["ContactTable"];
        };
        ContactRowsPage: {
            rows: components["schemas"]["ContactRow"][];
            table: components["schemas"]["ContactTable"];
            smartlist: components["schemas"]["Smartlist"];
            meta: components["schemas"]["ContactPageMeta"];
        };
        ContactRowsQuery: {
            smartlist_id?: string;
            filters?: components["schemas"]["ContactFilter"][];
        };
        ContactSort: {
            column_id?: string;
            name?: string;
            /** @enum {string} */
            order?: "asc" | "desc";
        } & ({
            column_id: unknown;
        } | {
            name: unknown;
        });
        ContactTable: {
            id: string;
            columns: components["schemas"]["ContactColumn"][];
            created_datetime: string;
            updated_datetime?: string;
        };
        CreateEndpointRequest: {
            url: string;
            events?: ("message.sent" | "message.delivered" | "message.read" | "message.undelivered" | "message.failed" | "message.expired" | "message.rejected" | "message.clicked" | "message.canceled" | "message.expansion_failed" | "message.received" | "airtime.sent" | "airtime.success" | "airtime.failed" | "airtime.error" | "airtime.duplicate" | "balance.low" | "import.finished" | "recipient.opted_out" | "otp.sent" | "otp.verified" | "otp.failed")[];
            description?: string;
            enabled?: boolean;
        };
        CreateSmartlistRequest: {
            name: string;
            filters: components["schemas"]["ContactFilter"][];
        };
        CreateTemplateRequest: {
            name: string;
            /** @enum {string} */
            channel?: "sms" | "whatsapp";
            body: string;
            provider_name?: string;
            language?: string;
            variables?: string[];
        } & ({
            /** @constant */
            channel: "whatsapp";
            provider_name: unknown;
            language: unknown;
        } | {
            /** @enum {unknown} */
            channel?: "sms";
            provider_name?: unknown;
            language?: unknown;
            variables?: unknown;
        });
        EndpointTestData: {
            endpoint_id: string;
            message: string;
        };
        ErrorAnswer: {
            status: number;
            message: string;
            errors: components["schemas"]["InvalidField"][];
        };
        EstimateMeta: {
            method: string;
            resource: string;
            estimate: components["schemas"]["SmsPrice"];
        };
        EstimatedSms: {
            content: string;
            recipient_count: number;
            affordable: boolean;
            rejected: components["schemas"]["RejectedRecipient"][];
            meta: components["schemas"]["EstimateMeta"];
        };
        ExpansionFailedCallbackData: {
            id: string;
            /** @enum {string} */
            channel: "sms" | "whatsapp";
            reason: string;
            recipients: number;
            refunded: number;
            external_ref?: string;
            created_datetime: string;
            failed_datetime: string;
        };
        FailureReason: {
            code: string;
            message: string;
        };
        HealthyAnswer: {
            healthy: boolean;
            checks: {
                [key: string]: string;
            };
        };
        ImportCallbackData: {
            id: string;
            /** @enum {string} */
            state: "done" | "failed";
            lines: number;
            created: number;
            updated: number;
            rejected: number;
            reason?: string;
            created_datetime: string;
            ended_datetime: string;
        };
        InboxMessage: {
            id: string;
            /** @enum {string} */
            channel: "sms" | "whatsapp";
            number: string;
            sender: string;
            type: string;
            text?: string;
            sent_datetime?: string;
            received_datetime: string;
        };
        InboxPage: {
            messages: components["schemas"]["InboxMessage"][];
            meta: components["schemas"]["PageMeta"];
        };
        InvalidField: {
            field: string;
            message: string;
            type: string;
        };
        Ledger: {
            entries: components["schemas"]["LedgerEntry"][];
            meta: components["schemas"]["PageMeta"];
        };
        LedgerEntry: {
            id: string;
            /** @enum {string} */
            kind: "top_up" | "charge" | "refund" | "reserve" | "void" | "adjustment";
            /** @enum {string} */
            service?: "sms" | "otp" | "airtime" | "lookup";
            resource?: string;
            subject_id: string;
            amount: number;
            balance_after: number;
            reference?: string;
            note?: string;
            created_datetime: string;
        };
        ListedPrice: {
            /** @enum {string} */
            service: "sms" | "whatsapp" | "lookup";
            prefix: string;
            /** @enum {string} */
            category?: "transactional" | "promotional" | "otp";
            price: number;
        };
        ListedSms: {
            id: string;
            /** @enum {string} */
            status: "scheduled" | "processing" | "paused" | "completed" | "canceled";
            recipients: string[];
            smartlist_id?: string;
            reply_to?: string;
            sender_id: string;
            is_trackable: boolean;
            content: string;
            external_ref?: string;
            callback?: string;
            template_id?: string;
            personalisation: components["schemas"]["SmsPersonalisation"][];
            send_at?: string;
            created_datetime: string;
            updated_datetime?: string;
            meta: components["schemas"]["SmsMeta"];
            recipient_count: number;
            /** @enum {string} */
            channel: "sms" | "whatsapp";
            /** @enum {string} */
            category?: "transactional" | "promotional";
        };
        LookupBatch: {
            id: string;
            /** @enum {string} */
            state: "queued" | "running" | "done" | "failed";
            numbers: number;
            percent?: number;
            bytes: number;
            reason?: string;
            created_datetime: string;
            ended_datetime?: string;
        };
        LookupBatchPage: {
            batches: components["schemas"]["LookupBatch"][];
            meta: components["schemas"]["PageMeta"];
        };
        LookupBatchRequest: {
            phones?: string;
            smartlist_id?: string;
            phone_column?: string;
        } & ({
            phones: unknown;
        } | {
            smartlist_id: unknown;
        });
        LookupPhoneRequest: {
            phone: string;
        };
        MessageCallbackData: {
            id: string;
            delivery_id: string;
            /** @enum {string} */
            channel: "sms" | "whatsapp";
            recipient: string;
            /** @enum {string} */
            status: "sent" | "delivered" | "read" | "undelivered" | "failed" | "expired" | "rejected";
            reason?: components["schemas"]["FailureReason"];
            external_ref?: string;
            created_datetime: string;
            updated_datetime: string;
            link?: number;
            url?: string;
            clicked_datetime?: string;
        };
        NewCallbackEndpoint: {
            id: string;
            url: string;
            events: string[];
            description?: string;
            enabled: boolean;
            created_datetime: string;
            updated_datetime?: string;
            secret: string;
        };
        OptOut: {
            id: string;
            phone: string;
            /** @enum {string} */
            channel: "sms" | "whatsapp";
            /** @enum {string} */
            source: "api" | "import" | "message";
            created_datetime: string;
        };
        OptOutCallbackData: {
            id: string;
            phone: string;
            /** @enum {string} */
            channel: "sms" | "whatsapp";
            /** @enum {string} */
            source: "api" | "import" | "message";
            created_datetime: string;
        };
        OptOutPage: {
            opt_outs: components["schemas"]["OptOut"][];
            meta: components["schemas"]["PageMeta"];
        };
        OtpCallbackData: {
            id: string;
            recipient: string;
            /** @enum {string} */
            channel: "sms" | "whatsapp";
            /** @enum {string} */
            status: "sent" | "verified" | "failed";
            reason?: components["schemas"]["FailureReason"];
            created_datetime: string;
            updated_datetime: string;
        };
        OtpDetails: {
            id: string;
            recipient: string;
            /** @enum {integer} */
            status: 1 | 2 | 3 | 4 | 5;
            /** @enum {string} */
            status_desc: "SENT" | "VERIFIED" | "EXPIRED" | "FAILED" | "REVOKED";
            created_datetime: string;
            updated_datetime?: string;
            sends: components["schemas"]["OtpSend"][];
        };
        OtpRecord: {
            id: string;
            recipient: string;
            /** @enum {integer} */
            status: 1 | 2 | 3 | 4 | 5;
            /** @enum {string} */
            status_desc: "SENT" | "VERIFIED" | "EXPIRED" | "FAILED" | "REVOKED";
            created_datetime: string;
            updated_datetime?: string;
        };
        OtpSend: {
            /** @enum {string} */
            channel: "sms" | "whatsapp";
            /** @enum {string} */
            status: "queued" | "sent" | "delivered" | "read" | "undelivered" | "expired" | "rejected" | "failed";
            reason?: components["schemas"]["FailureReason"];
            created_datetime: string;
            updated_datetime?: string;
        };
        OtpsOfRecipientRequest: {
            recipient: string;
            limit?: number;
        };
        OutboxMessage: {
            id: string;
            message_id?: string;
            otp_id?: string;
            /** @enum {string} */
            channel: "sms" | "whatsapp";
            sender_id: string;
            recipient: string;
            text: string;
            template?: components["schemas"]["OutboxTemplate"];
            /** @enum {string} */
            outcome: "accepted" | "rejected" | "lost";
            created_datetime: string;
        };
        OutboxPage: {
            messages: components["schemas"]["OutboxMessage"][];
            meta: components["schemas"]["PageMeta"];
        };
        OutboxTemplate: {
            name: string;
            language: string;
            values: string[];
        };
        PageMeta: {
            method: string;
            resource: string;
            pagination: components["schemas"]["Pagination"];
        };
        Pagination: {
            limit: number;
            next?: string;
        };
        PhoneLookup: {
            msisdn: string;
            operator: string;
            country: string;
            ported: boolean;
            dnd: boolean;
            /** @enum {string} */
            line_type?: "mobile" | "landline" | "voip" | "fixed_voip" | "non_fixed_voip" | "toll_free" | "premium" | "shared_cost" | "personal" | "uan" | "voicemail" | "pager";
            roaming?: boolean;
        };
        PlayInboundRequest: {
            from: string;
            to?: string;
            /** @enum {string} */
            channel?: "sms" | "whatsapp";
            text: string;
        };
        PriceListing: {
            prices: components["schemas"]["ListedPrice"][];
            currency: string;
            meta: components["schemas"]["RequestMeta"];
        };
        PurchaseCallbackData: {
            id: string;
            /** @enum {string} */
            network: "Airtel" | "MTN" | "Glo" | "9mobile" | "NTEL";
            amount: number;
            product_id?: string;
            recipient: string;
            /** @enum {string} */
            status: "sent" | "success" | "failed" | "error" | "duplicate";
            refunded: boolean;
            reason?: components["schemas"]["FailureReason"];
            external_ref?: string;
            created_datetime: string;
            updated_datetime: string;
        };
        ReceivedCallbackData: {
            id: string;
            /** @enum {string} */
            channel: "sms" | "whatsapp";
            number: string;
            sender: string;
            type: string;
            text?: string;
            sent_datetime?: string;
            received_datetime: string;
        };
        RecoverFields: {
            from: string;
            to?: string;
            /** @enum {string} */
            status?: "pending" | "delivered" | "failed" | "gone";
            after?: string;
        };
        RecoveredCallbacks: {
            recovered: number;
            next?: string;
        };
        RejectedRecipient: {
            recipient: string;
            reason: components["schemas"]["FailureReason"];
        };
        RequestMeta: {
            method: string;
            resource: string;
        };
        RequestOtpRequest: {
            recipient: string;
            length?: number;
            expires_in?: number;
            token?: string;
            /** @enum {string} */
            channel?: "sms" | "whatsapp";
            fallback_channels?: ("sms" | "whatsapp")[];
            fallback_after?: number;
        };
        ResendOtpFields: {
            /** @enum {string} */
            channel?: "sms" | "whatsapp";
        };
        RotateSecretFields: {
            overlap_hours?: number;
        };
        RotatedSecret: {
            id: string;
            secret: string;
            previous_secret_until: string;
        };
        SendSmsRequest: {
            recipients?: string;
            smartlist_id?: string;
            phone_column?: string;
            reply_to?: string;
            sender_id?: string;
            /** @enum {string} */
            channel?: "sms" | "whatsapp";
            /** @enum {string} */
            category?: "transactional" | "promotional";
            content?: string;
            template_id?: string;
            personalisation?: components["schemas"]["SmsPersonalisation"][];
            send_at?: string;
            external_ref?: string;
            is_trackable?: boolean;
            callback?: string;
        } & (({
            content: unknown;
        } | {
            template_id: unknown;
        }) & ({
            recipients: unknown;
        } | {
            smartlist_id: unknown;
        } | {
            reply_to: unknown;
            recipients?: unknown;
        }));
        Smartlist: {
            id: string;
            name: string;
            filters: components["schemas"]["ContactFilter"][];
            created_datetime: string;
            updated_datetime: string;
        };
        SmsAttempt: {
            attempt: number;
            provider?: string;
            outcome?: string;
            reason?: components["schemas"]["FailureReason"];
            /** @deprecated */
            error?: components["schemas"]["FailureReason"];
            started_datetime: string;
            ended_datetime?: string;
        };
        SmsDelivery: {
            id: string;
            recipient: string;
            /** @enum {string} */
            status: "queued" | "sent" | "delivered" | "read" | "undelivered" | "expired" | "rejected" | "failed" | "canceled";
            reason?: components["schemas"]["FailureReason"];
            waits_until?: string;
            /** @deprecated */
            error?: components["schemas"]["FailureReason"];
            text?: string;
            links: components["schemas"]["SmsLink"][];
            pages: number;
            charge: number;
            refunded: boolean;
            created_datetime: string;
            updated_datetime?: string;
            attempts: components["schemas"]["SmsAttempt"][];
        };
        SmsDetails: {
            id: string;
            /** @enum {string} */
            status: "scheduled" | "processing" | "paused" | "completed" | "canceled";
            recipients: string[];
            smartlist_id?: string;
            reply_to?: string;
            sender_id: string;
            is_trackable: boolean;
            content: string;
            external_ref?: string;
            callback?: string;
            template_id?: string;
            personalisation: components["schemas"]["SmsPersonalisation"][];
            send_at?: string;
            created_datetime: string;
            updated_datetime?: string;
            meta: components["schemas"]["SmsMeta"];
            /** @enum {string} */
            channel: "sms" | "whatsapp";
            /** @enum {string} */
            category?: "transactional" | "promotional";
            deliveries: components["schemas"]["SmsDelivery"][];
            expansion?: components["schemas"]["SmsExpansion"];
        };
        SmsEstimate: {
            /** @enum {string} */
            encoding: "GSM-7" | "UCS-2";
            message_length: number;
            pages: number;
            available_balance: number;
            charge: number;
        };
        SmsExpansion: {
            /** @enum {string} */
            state: "expanding" | "done" | "failed" | "canceled";
            rows: number;
            recipients: number;
            duplicates: number;
            without_number: number;
            unsendable: number;
            unaffordable: number;
            opted_out: number;
            charge: number;
            growth_charge?: number;
            reason?: string;
            returned?: number;
            ended_datetime?: string;
        };
        SmsLink: {
            url?: string;
            short_url: string;
            clicks: number;
            last_clicked_datetime?: string;
        };
        SmsMessage: {
            id: string;
            /** @enum {string} */
            status: "scheduled" | "processing" | "paused" | "completed" | "canceled";
            recipients: string[];
            smartlist_id?: string;
            reply_to?: string;
            sender_id: string;
            is_trackable: boolean;
            content: string;
            external_ref?: string;
            callback?: string;
            template_id?: string;
            personalisation: components["schemas"]["SmsPersonalisation"][];
            send_at?: string;
            created_datetime: string;
            updated_datetime?: string;
            meta: components["schemas"]["SmsMeta"];
        };
        SmsMeta: {
            method: string;
            resource: string;
            estimate: components["schemas"]["SmsEstimate"];
            refunded?: number;
            pagination?: components["schemas"]["Pagination"];
        };
        SmsPage: {
            messages: components["schemas"]["ListedSms"][];
            meta: components["schemas"]["SmsPageMeta"];
        };
        SmsPageMeta: {
            method: string;
            resource: string;
            pagination: components["schemas"]["SmsPagination"];
        };
        SmsPagination: {
            limit: number;
            next?: string;
            page?: number;
        };
        SmsPersonalisation: {
            to: string;
            substitutions: {
                [key: string]: string;
            };
        };
        SmsPrice: {
            /** @enum {string} */
            encoding: "GSM-7" | "UCS-2";
            message_length: number;
            pages: number;
            provider_pages?: number;
            available_balance: number;
            charge: number;
        };
        SortedContactRowsQuery: {
            smartlist_id?: string;
            filters?: components["schemas"]["ContactFilter"][];
            sort?: components["schemas"]["ContactSort"];
        };
        Template: {
            id: string;
            name: string;
            /** @enum {string} */
            channel: "sms" | "whatsapp";
            body: string;
            placeholders: string[];
            provider_name?: string;
            language?: string;
            variables: string[];
            created_datetime: string;
            updated_datetime?: string;
        };
        TemplatePage: {
            templates: components["schemas"]["Template"][];
            meta: components["schemas"]["PageMeta"];
        };
        VerifyOtpRequest: {
            id: string;
            token: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    airtimeList: {
        parameters: {
            query?: {
                limit?: number;
                before?: string;
                since?: string;
                until?: string;
                status?: "pending" | "sent" | "failed" | "error" | "success" | "duplicate";
                recipient?: string;
                external_ref?: string;
                network?: "Airtel" | "MTN" | "Glo" | "9mobile" | "NTEL";
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["AirtimePage"];
                };
            };
        };
    };
    airtimeBuy: {
        requestBody: {
            content: {
                "application/json": components["schemas"]["BuyAirtimeRequest"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["AirtimePurchase"];
                };
            };
        };
    };
    airtimeNetworks: {
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["AirtimeNetwork"][];
                };
            };
        };
    };
    airtimeProducts: {
        parameters: {
            query?: {
                network?: "Airtel" | "MTN" | "Glo" | "9mobile" | "NTEL";
                limit?: number;
                after?: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["AirtimeProductPage"];
                };
            };
        };
    };
    airtimeFind: {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["AirtimePurchase"];
                };
            };
        };
    };
    billingBalance: {
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["Balance"];
                };
            };
        };
    };
    billingThreshold: {
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["BalanceThreshold"];
                };
            };
        };
    };
    billingChangeThreshold: {
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeBalanceThreshold"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["BalanceThreshold"];
                };
            };
        };
    };
    endpointsList: {
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["CallbackEndpoints"];
                };
            };
        };
    };
    endpointsCreate: {
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateEndpointRequest"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["NewCallbackEndpoint"];
                };
            };
        };
    };
    endpointsFind: {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["CallbackEndpoint"];
                };
            };
        };
    };
    endpointsRemove: {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["CallbackEndpoint"];
                };
            };
        };
    };
    endpointsChange: {
        parameters: {
            path: {
                id: string;
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeEndpointFields"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["CallbackEndpoint"];
                };
            };
        };
    };
    endpointsRecover: {
        parameters: {
            path: {
                id: string;
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RecoverFields"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["RecoveredCallbacks"];
                };
            };
        };
    };
    endpointsRotateSecret: {
        parameters: {
            path: {
                id: string;
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RotateSecretFields"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["RotatedSecret"];
                };
            };
        };
    };
    endpointsTest: {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["CallbackDetails"];
                };
            };
        };
    };
    callbacksList: {
        parameters: {
            query?: {
                limit?: number;
                before?: string;
                status?: "pending" | "delivered" | "failed" | "gone";
                type?: "message.sent" | "message.delivered" | "message.read" | "message.undelivered" | "message.failed" | "message.expired" | "message.rejected" | "message.clicked" | "message.canceled" | "message.expansion_failed" | "message.received" | "airtime.sent" | "airtime.success" | "airtime.failed" | "airtime.error" | "airtime.duplicate" | "balance.low" | "import.finished" | "recipient.opted_out" | "otp.sent" | "otp.verified" | "otp.failed" | "endpoint.test";
                resource_id?: string;
                endpoint_id?: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["CallbackPage"];
                };
            };
        };
    };
    callbacksFind: {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["CallbackDetails"];
                };
            };
        };
    };
    callbacksResend: {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["CallbackDetails"];
                };
            };
        };
    };
    healthLive: {
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["HealthyAnswer"];
                };
            };
        };
    };
    inboxList: {
        parameters: {
            query?: {
                limit?: number;
                before?: string;
                since?: string;
                until?: string;
                number?: string;
                sender?: string;
                channel?: "sms" | "whatsapp";
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["InboxPage"];
                };
            };
        };
    };
    inboxFind: {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["InboxMessage"];
                };
            };
        };
    };
    linksFollow: {
        parameters: {
            path: {
                code: string;
            };
        };
        responses: {
            200: {
                content: {
                    "text/html": string;
                };
            };
        };
    };
    billingLedger: {
        parameters: {
            query?: {
                limit?: number;
                before?: string;
                since?: string;
                until?: string;
                kind?: "top_up" | "charge" | "refund" | "reserve" | "void" | "adjustment";
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["Ledger"];
                };
            };
        };
    };
    contactRowsTable: {
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["ContactTable"];
                };
            };
        };
    };
    contactColumnsAdd: {
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddContactColumnRequest"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["AddedContactColumn"];
                };
            };
        };
    };
    contactColumnsRemove: {
        parameters: {
            path: {
                column_id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["ContactTable"];
                };
            };
        };
    };
    contactColumnsChange: {
        parameters: {
            path: {
                column_id: string;
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeContactColumnFields"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["ContactTable"];
                };
            };
        };
    };
    exportsList: {
        parameters: {
            query?: {
                limit?: number;
                before?: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["ContactExportPage"];
                };
            };
        };
    };
    exportsCreate: {
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContactRowsQuery"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["ContactExport"];
                };
            };
        };
    };
    exportsFind: {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["ContactExport"];
                };
            };
        };
    };
    exportsRemove: {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["ContactExport"];
                };
            };
        };
    };
    exportsFile: {
        parameters: {
            query?: {
                bom?: "true" | "false";
            };
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "text/csv": string;
                };
            };
        };
    };
    importsList: {
        parameters: {
            query?: {
                limit?: number;
                before?: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["ContactImportPage"];
                };
            };
        };
    };
    importsImport: {
        parameters: {
            query?: {
                upsert?: string;
                delimiter?: "," | ";" | "|" | "tab";
                date_format?: "yyyy-mm-dd" | "dd/mm/yyyy";
            };
        };
        requestBody: {
            content: {
                "text/csv": string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["ContactImport"];
                };
            };
        };
    };
    importsFind: {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["ContactImport"];
                };
            };
        };
    };
    importsRejected: {
        parameters: {
            query?: {
                bom?: "true" | "false";
            };
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "text/csv": string;
                };
            };
        };
    };
    contactRowsFind: {
        parameters: {
            query?: {
                by?: "id" | "name";
            };
            path: {
                row_id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["ContactRowAnswer"];
                };
            };
        };
    };
    contactRowsCreate: {
        parameters: {
            query?: {
                by?: "id" | "name";
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContactCellsRequest"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["ContactRowAnswer"];
                };
            };
        };
    };
    contactRowsQuery: {
        parameters: {
            query?: {
                by?: "id" | "name";
                per_page?: number;
                limit?: number;
                page?: number;
                query_id?: string;
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SortedContactRowsQuery"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["ContactRowsPage"];
                };
            };
        };
    };
    contactRowsRemove: {
        parameters: {
            query?: {
                by?: "id" | "name";
            };
            path: {
                row_id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["ContactRowAnswer"];
                };
            };
        };
    };
    contactRowsPatch: {
        parameters: {
            query?: {
                by?: "id" | "name";
            };
            path: {
                row_id: string;
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContactCellsRequest"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["ContactRowAnswer"];
                };
            };
        };
    };
    smartlistsList: {
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["Smartlist"][];
                };
            };
        };
    };
    smartlistsCreate: {
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateSmartlistRequest"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["Smartlist"];
                };
            };
        };
    };
    smartlistsFind: {
        parameters: {
            path: {
                smartlist_id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["Smartlist"];
                };
            };
        };
    };
    smartlistsRemove: {
        parameters: {
            path: {
                smartlist_id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["Smartlist"];
                };
            };
        };
    };
    smartlistsChange: {
        parameters: {
            path: {
                smartlist_id: string;
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeSmartlistFields"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["Smartlist"];
                };
            };
        };
    };
    lookupListBatches: {
        parameters: {
            query?: {
                limit?: number;
                before?: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["LookupBatchPage"];
                };
            };
        };
    };
    lookupCreateBatch: {
        requestBody: {
            content: {
                "application/json": components["schemas"]["LookupBatchRequest"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["LookupBatch"];
                };
            };
        };
    };
    lookupFindBatch: {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["LookupBatch"];
                };
            };
        };
    };
    lookupBatchFile: {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "text/csv": string;
                };
            };
        };
    };
    lookupPhone: {
        parameters: {
            query?: {
                phone?: string;
            };
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["LookupPhoneRequest"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["PhoneLookup"];
                };
            };
        };
    };
    optOutsList: {
        parameters: {
            query?: {
                limit?: number;
                before?: string;
                phone?: string;
                channel?: "sms" | "whatsapp";
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["OptOutPage"];
                };
            };
        };
    };
    optOutsAdd: {
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddOptOutRequest"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["OptOut"];
                };
            };
        };
    };
    optOutsRemove: {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["OptOut"];
                };
            };
        };
    };
    otpList: {
        parameters: {
            query?: {
                recipient?: string;
                limit?: number;
            };
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["OtpsOfRecipientRequest"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["OtpRecord"][];
                };
            };
        };
    };
    otpRequest: {
        requestBody: {
            content: {
                "application/json": components["schemas"]["RequestOtpRequest"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["OtpRecord"];
                };
            };
        };
    };
    otpVerify: {
        requestBody: {
            content: {
                "application/json": components["schemas"]["VerifyOtpRequest"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["OtpRecord"];
                };
            };
        };
    };
    otpFind: {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["OtpDetails"];
                };
            };
        };
    };
    otpRevoke: {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["OtpRecord"];
                };
            };
        };
    };
    otpResend: {
        parameters: {
            path: {
                id: string;
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResendOtpFields"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["OtpDetails"];
                };
            };
        };
    };
    billingPrices: {
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["PriceListing"];
                };
            };
        };
    };
    healthReady: {
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["HealthyAnswer"];
                };
            };
        };
    };
    simulatorPlay: {
        requestBody: {
            content: {
                "application/json": components["schemas"]["PlayInboundRequest"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["InboxMessage"];
                };
            };
        };
    };
    simulatorMessages: {
        parameters: {
            query?: {
                limit?: number;
                before?: string;
                recipient?: string;
                channel?: "sms" | "whatsapp";
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["OutboxPage"];
                };
            };
        };
    };
    smsList: {
        parameters: {
            query?: {
                limit?: number;
                before?: string;
                since?: string;
                until?: string;
                page?: number;
                status?: "queued" | "sent" | "delivered" | "read" | "undelivered" | "expired" | "rejected" | "failed" | "canceled";
                recipient?: string;
                external_ref?: string;
                channel?: "sms" | "whatsapp";
                category?: "transactional" | "promotional";
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["SmsPage"];
                };
            };
        };
    };
    smsEstimate: {
        requestBody: {
            content: {
                "application/json": components["schemas"]["SendSmsRequest"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["EstimatedSms"];
                };
            };
        };
    };
    smsSend: {
        requestBody: {
            content: {
                "application/json": components["schemas"]["SendSmsRequest"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["SmsMessage"];
                };
            };
        };
    };
    smsFind: {
        parameters: {
            query?: {
                after?: string;
            };
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["SmsDetails"];
                };
            };
        };
    };
    smsCancel: {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["SmsMessage"];
                };
            };
        };
    };
    smsPause: {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["SmsMessage"];
                };
            };
        };
    };
    smsResume: {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["SmsMessage"];
                };
            };
        };
    };
    templatesList: {
        parameters: {
            query?: {
                limit?: number;
                before?: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["TemplatePage"];
                };
            };
        };
    };
    templatesCreate: {
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateTemplateRequest"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["Template"];
                };
            };
        };
    };
    templatesFind: {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["Template"];
                };
            };
        };
    };
    templatesRemove: {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["Template"];
                };
            };
        };
    };
    templatesChange: {
        parameters: {
            path: {
                id: string;
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeTemplateFields"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["Template"];
                };
            };
        };
    };
    messageSent: {
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "message.sent";
                    timestamp: string;
                    data: components["schemas"]["MessageCallbackData"];
                };
            };
        };
        responses: never;
    };
    messageDelivered: {
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "message.delivered";
                    timestamp: string;
                    data: components["schemas"]["MessageCallbackData"];
                };
            };
        };
        responses: never;
    };
    messageRead: {
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "message.read";
                    timestamp: string;
                    data: components["schemas"]["MessageCallbackData"];
                };
            };
        };
        responses: never;
    };
    messageUndelivered: {
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "message.undelivered";
                    timestamp: string;
                    data: components["schemas"]["MessageCallbackData"];
                };
            };
        };
        responses: never;
    };
    messageFailed: {
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "message.failed";
                    timestamp: string;
                    data: components["schemas"]["MessageCallbackData"];
                };
            };
        };
        responses: never;
    };
    messageExpired: {
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "message.expired";
                    timestamp: string;
                    data: components["schemas"]["MessageCallbackData"];
                };
            };
        };
        responses: never;
    };
    messageRejected: {
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "message.rejected";
                    timestamp: string;
                    data: components["schemas"]["MessageCallbackData"];
                };
            };
        };
        responses: never;
    };
    messageClicked: {
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "message.clicked";
                    timestamp: string;
                    data: components["schemas"]["MessageCallbackData"];
                };
            };
        };
        responses: never;
    };
    messageCanceled: {
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "message.canceled";
                    timestamp: string;
                    data: components["schemas"]["CanceledCallbackData"];
                };
            };
        };
        responses: never;
    };
    messageExpansion_failed: {
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "message.expansion_failed";
                    timestamp: string;
                    data: components["schemas"]["ExpansionFailedCallbackData"];
                };
            };
        };
        responses: never;
    };
    messageReceived: {
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "message.received";
                    timestamp: string;
                    data: components["schemas"]["ReceivedCallbackData"];
                };
            };
        };
        responses: never;
    };
    airtimeSent: {
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "airtime.sent";
                    timestamp: string;
                    data: components["schemas"]["PurchaseCallbackData"];
                };
            };
        };
        responses: never;
    };
    airtimeSuccess: {
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "airtime.success";
                    timestamp: string;
                    data: components["schemas"]["PurchaseCallbackData"];
                };
            };
        };
        responses: never;
    };
    airtimeFailed: {
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "airtime.failed";
                    timestamp: string;
                    data: components["schemas"]["PurchaseCallbackData"];
                };
            };
        };
        responses: never;
    };
    airtimeError: {
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "airtime.error";
                    timestamp: string;
                    data: components["schemas"]["PurchaseCallbackData"];
                };
            };
        };
        responses: never;
    };
    airtimeDuplicate: {
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "airtime.duplicate";
                    timestamp: string;
                    data: components["schemas"]["PurchaseCallbackData"];
                };
            };
        };
        responses: never;
    };
    balanceLow: {
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "balance.low";
                    timestamp: string;
                    data: components["schemas"]["BalanceCallbackData"];
                };
            };
        };
        responses: never;
    };
    importFinished: {
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "import.finished";
                    timestamp: string;
                    data: components["schemas"]["ImportCallbackData"];
                };
            };
        };
        responses: never;
    };
    recipientOpted_out: {
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "recipient.opted_out";
                    timestamp: string;
                    data: components["schemas"]["OptOutCallbackData"];
                };
            };
        };
        responses: never;
    };
    otpSent: {
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "otp.sent";
                    timestamp: string;
                    data: components["schemas"]["OtpCallbackData"];
                };
            };
        };
        responses: never;
    };
    otpVerified: {
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "otp.verified";
                    timestamp: string;
                    data: components["schemas"]["OtpCallbackData"];
                };
            };
        };
        responses: never;
    };
    otpFailed: {
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "otp.failed";
                    timestamp: string;
                    data: components["schemas"]["OtpCallbackData"];
                };
            };
        };
        responses: never;
    };
    endpointTest: {
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "endpoint.test";
                    timestamp: string;
                    data: components["schemas"]["EndpointTestData"];
                };
            };
        };
        responses: never;
    };
}
