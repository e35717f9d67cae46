import type { InboundSettings } from './inbound-settings.js';

export class ListInboundProviders {
  /** Every provider that may send requests. */
  all: true;
}

/** A provider that may send requests to us. */
export class InboundProvider {
  name: string;
  token: string;
  /** The token before it, while requests with it are still accepted. */
  formerToken?: string;
  settings: InboundSettings;
  /** The secrets that the settings name. */
  secrets: Record<string, string>;
}

export class InboundProviderList {
  providers: InboundProvider[];
}
