import { days, retentionOf } from '@gangan/leases';
import { OtpConfig } from './otp.config.js';
import { hasEnded } from './retention/shorter-retention.js';

export const otpRetention = retentionOf(OtpConfig, [
  // Deletes their deliveries and verifications too.
  { table: 'otp', keptMs: (config) => days(config.OTP_KEPT_DAYS), where: hasEnded },
  {
    table: 'otp_spend',
    key: 'ctid',
    since: 'day',
    // A day has not ended before the next one begins.
    keptMs: (config) => days(config.OTP_KEPT_DAYS + 1),
    locks: false,
  },
]);
