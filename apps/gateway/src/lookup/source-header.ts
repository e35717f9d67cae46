import type { LookupReply } from '@gangan/contracts';

/** `operator=live, country=plan, ported=live, dnd=registry`; at its end, that the provider did not answer. */
export const sourceHeader = ({ sources, providerSilent }: Omit<LookupReply, 'found'>): string =>
  [
    ...Object.entries(sources ?? {}).map(([field, source]) => `${field}=${String(source)}`),
    ...(providerSilent ? ['live=unavailable'] : []),
  ].join(', ');
