/** The carriers of airtime, spelt as the interface spells them everywhere. */
export const networks = ['Airtel', 'MTN', 'Glo', '9mobile', 'NTEL'] as const;

export type Network = (typeof networks)[number];

export const isNetwork = (value: unknown): value is Network => networks.some((network) => network === value);
