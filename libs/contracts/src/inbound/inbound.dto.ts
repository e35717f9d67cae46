import type { InboundSettings } from './inbound-settings.js';

export class ListInboundProviders {
  /** All that a gateway may get requests from. */
  all: true;
}

/** A provider that may send requests to us. */
export class InboundProvider {
  name: string;
  token: string;
  settings: InboundSettings;
  /** Those that the settings name. */
  secrets: Record<string, string>;
}

export class InboundProviderList {
  providers: InboundProvider[];
}
