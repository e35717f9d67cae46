/** The name of the provider, in the deliveries of every server. */
export const carrierName = 'carrier';

/** The most messages of a request, and the most reports of one. */
export const maxMessages = 100;

export interface CarrierMessage {
  readonly to: string;
  readonly from: string;
  readonly text: string;
  /** Of the sender. */
  readonly reference: string;
}

/** What the carrier gets: `POST /` with the header `report-to`, which has one or more URLs. */
export interface CarrierRequest {
  readonly messages: readonly CarrierMessage[];
}

/** It accepts all messages, in their order, and later posts as many reports to the URLs in turn. */
export interface Accepted {
  /** Of the carrier. */
  readonly id: string;
  readonly reference: string;
}

export interface CarrierAnswer {
  readonly messages: readonly Accepted[];
}

export interface CarrierReports {
  readonly reports: readonly (Accepted & { readonly status: 'DELIVERED' })[];
}
