const domains = ['sms', 'otp', 'airtime', 'lookup', 'contacts', 'callbacks'] as const;

export type KeyScope = `${(typeof domains)[number]}:${'read' | 'write'}` | 'billing:read';

export const keyScopes: readonly KeyScope[] = [
  ...domains.flatMap((domain) => [`${domain}:read`, `${domain}:write`] as const),
  'billing:read',
];
