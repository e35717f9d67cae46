export const airtimeStatuses = ['pending', 'sent', 'failed', 'error', 'success', 'duplicate'] as const;

/** How far a purchase has come; the last four are final, but for what a person may still find out about an `error`. */
export type AirtimeStatus = (typeof airtimeStatuses)[number];
