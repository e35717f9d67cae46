/** The carriers of airtime, spelt as the interface spells them everywhere. */
export const networks = ['Airtel', 'MTN', 'Glo', '9mobile', 'NTEL'] as const;
