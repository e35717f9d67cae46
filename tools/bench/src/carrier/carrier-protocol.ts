/** The name of the provider, in the deliveries of every server. */
export const carrierName = 'carrier';

/** What the fake carrier gets: `POST /` with the header `report-to`, which has one or more URLs. */
export interface CarrierRequest {
  readonly messages: readonly CarrierMessage[];
}

export interface CarrierMessage {
  readonly to: string;
  readonly from: string;
  readonly text: string;
  /** Of the sender. */
  readonly reference: string;
}

/** Its answer accepts all messages, in their order. */
export interface CarrierAnswer {
  readonly messages: readonly Accepted[];
}

export interface Accepted {
  /** Of the carrier. */
  readonly id: string;
  readonly reference: string;
}

/** What it posts to the URLs in turn. */
export interface CarrierReports {
  readonly reports: readonly (Accepted & { readonly status: 'DELIVERED' })[];
}

/** The most messages of a request, and the most reports of one. */
export const maxMessages = 100;
