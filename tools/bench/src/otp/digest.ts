import { createHmac } from 'node:crypto';

/** As the OTP worker computes it. */
export const digestToken = (pepper: string, organisationId: string, id: string, token: string): Buffer =>
  createHmac('sha256', Buffer.from(pepper, 'base64'))
    .update(organisationId + id + token)
    .digest();
