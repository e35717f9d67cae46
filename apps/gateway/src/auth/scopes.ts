type Domain = 'sms' | 'otp' | 'airtime' | 'lookup' | 'contacts' | 'callbacks';

/** What a key may be allowed to do. */
export type KeyScope = `${Domain}:${'read' | 'write'}` | 'billing:read';
