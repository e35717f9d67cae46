/** How every answer names the numbers of `status`. All but 1 are final. */
export const otpStatuses = { SENT: 1, VERIFIED: 2, EXPIRED: 3, FAILED: 4, REVOKED: 5 } as const;

export type OtpStatusName = keyof typeof otpStatuses;

export type OtpStatus = (typeof otpStatuses)[OtpStatusName];

export const otpStatusNames = Object.keys(otpStatuses) as readonly OtpStatusName[];

export const otpStatusNumbers = Object.values(otpStatuses) as readonly OtpStatus[];

export const otpStatusName = (status: OtpStatus): OtpStatusName =>
  otpStatusNames[otpStatusNumbers.indexOf(status)] ?? 'FAILED';
