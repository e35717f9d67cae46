/** Fixed, so that seeding twice meets its own rows. */
const id = (last: number): string => `01900000-0000-7000-8000-${last.toString(16).padStart(12, '0')}`;

export const demo = {
  accountId: id(1),
  organisationId: id(2),
  apiKeyId: id(3),
  apiKey: 'sk_test_demo',
  callbackSecretId: id(4),
  callbackSecret: 'whsec_ZGVtby1zZWNyZXQtZm9yLWxvY2FsLXVzZS1vbmx5ISE=',
  sender: 'Gangan',
  limits: {
    requestsPerSecond: 10_000,
    requestBurst: 20_000,
    otpSendsPerRecipient: 0,
    otpSendsPerPrefix: 0,
    otpTriesPerRecipient: 0,
    otpDailySpendKobo: 0n,
  },
  paymentId: id(5),
  /** A milliard naira of play money, in kobo. */
  balance: 100_000_000_000n,
  templateId: id(6),
  portedImportId: id(7),
  dndImportId: id(8),
  /** Among the simulator's numbers: look-ups have something to show. */
  ported: [
    { phone: '+2347000000008', operator: 'Glo' },
    { phone: '+2347000000009', operator: 'Airtel' },
  ],
  dnd: ['+2347000000004', '+2347000000009'],
} as const;
